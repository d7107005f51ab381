"""Device code of a CUDA source: the kernels in it, and the source without its host functions.

The rule: lines keep their numbers, so that a compiler's message still points into the candidate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.languages.cuda.cuda_stubs import torch_includes

_HIDDEN = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"
    |'(?:\\.|[^'\\\n])'""",
    re.DOTALL | re.VERBOSE,
)
_DIRECTIVE = re.compile(r"^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
_TORCH = re.compile(r"\b(?:torch|at|c10|pybind11|py)\s*::|\b(?:PYBIND11_MODULE|TORCH_\w+)\b")
_DEVICE = re.compile(r"__global__|__device__|__constant__")
_TRANSPARENT = re.compile(r'(?:namespace\b[\w\s:]*|extern\s*(?:"C"|\s{2,})\s*)\Z')
_KERNEL = re.compile(
    r"(?:template\s*<(?P<template>[^;{}]*?)>\s*)?(?:extern\s*\S*\s+|static\s+|inline\s+)*"
    r"__global__(?:[^;{}()]*?__launch_bounds__\s*\([^()]*(?:\([^()]*\)[^()]*)*\))?[^;{}()]*?"
    r"\b(?!__launch_bounds__)(?P<name>\w+)\s*\("
)


@dataclass(frozen=True, slots=True)
class KernelHead:
    """One `__global__` function of a source."""

    name: str
    line: int
    template: str | None  # its parameters, where it is a template


def kernel_heads(text: str) -> tuple[KernelHead, ...]:
    """Every kernel that a source defines or declares, once by name."""
    plain = _masked(text)
    found: dict[str, KernelHead] = {}
    for match in _KERNEL.finditer(plain):
        line = 1 + plain.count("\n", 0, match.start("name"))
        template = match["template"]
        found.setdefault(match["name"], KernelHead(match["name"], line, template))
    return tuple(found.values())


def device_only(text: str) -> str:
    """The source with its host functions blanked, and each template kernel named once."""
    plain = _masked(text)
    kept = list(text)
    for match in _DIRECTIVE.finditer(plain):
        if torch_includes(text[match.start() : match.end()]):
            _blank(kept, match.start(), match.end())
    bare = _DIRECTIVE.sub(lambda match: _spaces(match[0]), plain)
    for start, end in _declarations(bare, 0, len(bare)):
        if _is_host(bare[start:end]):
            _blank(kept, start, end)
    uses = [use for head in kernel_heads(text) if (use := _instance(head))]
    named = " ".join(f"(void)&{use};" for use in uses)
    return "".join(kept) + (f"\nvoid stub_instances() {{ {named} }}\n" if uses else "")


def device_lines(text: str) -> frozenset[int]:
    """Numbers of the lines in which device code stands."""
    plain = _masked(text)
    bare = _DIRECTIVE.sub(lambda match: _spaces(match[0]), plain)
    lines: set[int] = set()
    for start, end in _declarations(bare, 0, len(bare)):
        if _DEVICE.search(bare, start, end):
            first = 1 + bare.count("\n", 0, start)
            lines.update(range(first, first + 1 + bare.count("\n", start, end)))
    return frozenset(lines)


def _declarations(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of the outermost declarations; those in namespaces count as outermost."""
    found: list[tuple[int, int]] = []
    position = begin = start
    while position < end:
        letter = text[position]
        if letter == ";":
            found.append((begin, position + 1))
            begin = position + 1
        elif letter == "{":
            close = min(_matching(text, position), end - 1)
            if _TRANSPARENT.search(text[begin:position].strip() + " " * 2):
                found += _declarations(text, position + 1, close)
                begin = close + 1
            elif not _continues(text, close + 1):
                found.append((begin, close + 1))
                begin = close + 1
            position = close
        position += 1
    return found


def _continues(text: str, position: int) -> bool:
    """A struct, an initialiser, or a parameter list that goes on after its brace."""
    following = text[position:].lstrip()
    return following.startswith((";", ",", ")", "="))


def _matching(text: str, brace: int) -> int:
    depth = 0
    for position in range(brace, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return len(text) - 1


def _is_host(declaration: str) -> bool:
    head, brace, _ = declaration.partition("{")
    if _DEVICE.search(declaration):
        return False
    if _TORCH.search(declaration):
        return True
    kept = re.search(r"\b(?:struct|class|union|enum|constexpr)\b", head)
    return bool(brace) and "(" in head and kept is None


def _instance(head: KernelHead) -> str | None:
    """The kernel with arguments for its template's parameters: float, a power of two, true."""
    if head.template is None:
        return None
    chosen = []
    for parameter in head.template.split(","):
        words = parameter.partition("=")[0].split()
        if not words:
            return None
        kind = words[0]
        chosen.append({"typename": "float", "class": "float", "bool": "true"}.get(kind, "32"))
    return f"{head.name}<{', '.join(chosen)}>"


def _masked(text: str) -> str:
    """Comments and strings become blanks of the same length."""
    return _HIDDEN.sub(lambda match: _spaces(match[0]), text)


def _spaces(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _blank(letters: list[str], start: int, end: int) -> None:
    for position in range(start, end):
        if letters[position] != "\n":
            letters[position] = " "
