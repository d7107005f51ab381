"""Native code: tokens, Halstead volume and branches of C++ and CUDA.

Source: Halstead, "Elements of Software Science", 1977; McCabe, 1976, for counting branches. The
rule: comments, and what a string holds, are not code; a string is one token.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
      (?P<comment>//[^\n]*|/\*.*?\*/)
    | (?P<text>R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    | (?P<number>(?:0[xX][0-9a-fA-F']+|\d[\d']*\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)\w*)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<operator><<<|>>>|<<=|>>=|->\*|\.\.\.|::|->|\+\+|--|&&|\|\||[-+*/%&|^=!<>]=|<<|>>
      |\#\#|[^\s\w])
    """,
    re.VERBOSE | re.DOTALL,
)
_BRANCHES = frozenset({"if", "for", "while", "case", "catch", "&&", "||", "?"})


@dataclass(frozen=True)
class NativeCode:
    """Measures of some C++ or CUDA text."""

    tokens: int
    volume: float
    branches: int


def native_code(texts: Sequence[str]) -> NativeCode | None:
    """Of all texts together; None where there is no token.

    volume = N log2(n), of N tokens, n of them distinct. branches counts if, for, while, case,
    catch, &&, || and ?, which is the cyclomatic complexity less the number of functions.
    """
    found = Counter(token for text in texts for token in tokens_of(text))
    total = found.total()
    if not total:
        return None
    branches = sum(found[token] for token in _BRANCHES)
    return NativeCode(tokens=total, volume=total * math.log2(len(found)), branches=branches)


def tokens_of(text: str) -> list[str]:
    """The tokens, comments left out."""
    return [m.group() for m in _TOKEN.finditer(text) if m.lastgroup != "comment"]
