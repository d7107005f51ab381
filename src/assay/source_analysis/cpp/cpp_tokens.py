"""C++ and CUDA as tokens: comments and preprocessor lines are gone, strings are one token each.

The rule: no word inside a comment or a string is ever taken for code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PATTERN = re.compile(
    r"""(?P<skip>[ \t\r\f\v]+|\\\n|//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<newline>\n)
    |(?P<raw>R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)")
    |(?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
    |(?P<char>'(?:\\.|[^'\\\n])+')
    |(?P<word>[A-Za-z_]\w*)
    |(?P<number>\.?\d(?:[\w.']|[eEpP][+-])*)
    |(?P<op><<<|>>>|::|->|\+\+|--|&&|\|\||[-+*/%&|^=!<>]=|<<|\S)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token. Kinds: word, number, string, op."""

    kind: str
    text: str
    line: int


def tokenize(text: str) -> list[Token]:
    """Tokens of a translation unit. Directives are dropped, except what `#define` defines."""
    tokens: list[Token] = []
    line, skip_until_newline, start_of_line = 1, False, True
    for match in _PATTERN.finditer(text):
        kind, piece = match.lastgroup or "op", match.group()
        kind = "raw" if match.group("raw") is not None else kind
        if kind == "newline":
            skip_until_newline, start_of_line = False, True
        elif kind != "skip" and not skip_until_newline:
            if start_of_line and piece == "#":
                skip_until_newline = not re.match(r"#[ \t]*define\b", text[match.start() :])
            else:
                tokens.append(Token(_KINDS.get(kind, kind), piece, line))
            start_of_line = False
        line += piece.count("\n")
    return tokens


_KINDS = {"raw": "string", "char": "string"}
_CPP_SIGNS = re.compile(
    r'#\s*include\b|extern\s+"C"|__global__|\b(?:torch|at)::Tensor\b|PYBIND11_MODULE|__device__'
)
_C_TYPES = r"(?:void|bool|char|short|int|long|float|double|unsigned|size_t|_Float16|u?int\d+_t)"
_OTHER_LANGUAGE = re.compile(r"\bkernel\s+void\b|\b__kernel\b")  # Metal, OpenCL
# A function of plain C that includes nothing.
_C_FUNCTION = re.compile(
    rf"^[ \t]*(?:(?:static|inline|unsigned)\s+)*{_C_TYPES}[\s*]+\w+\s*"
    rf"\([^()]*\b{_C_TYPES}\b[^()]*\)\s*\{{",
    re.MULTILINE,
)


def looks_like_cpp(text: str) -> bool:
    """True where a string is C, C++ or CUDA source rather than prose or Python."""
    if "(" not in text:
        return False
    if _CPP_SIGNS.search(text) is not None:
        return True
    return _C_FUNCTION.search(text) is not None and _OTHER_LANGUAGE.search(text) is None
