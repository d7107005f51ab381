"""OwnNames: under which names the candidate's source defines kernels, as the device may tell them.

The rule: code gives a name, words do not. Comments and docstrings are left out. A name in quotes,
and a Python function's, stand for a kernel without template arguments only: with these a kernel is
an instance of some C++ template, which the source has to define.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.data.candidate import Candidate
from assay.python_tree import module_tree

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INCLUDED = re.compile(r"#\s*include\s*[<\"](cub|thrust|cutlass|cute)/")
_PYTHON = re.compile(r"\bdef\s+(\w+)\s*\(")
_BEGINS = re.compile(r"\b(?:__global__|void)\b")
_CALLED = re.compile(r"\s*([\w#]+)\s*\(|[^\w\s]|\s*\w+")
_ENTRY = re.compile(r"\.entry\s+(\w+)")  # of PTX
_TEMPLATE = re.compile(r"\btemplate\s*<[^;{}]*?>\s*\w+\s+(\w+)\s*\(")  # as torch's jiterator takes
_MAKES_TEMPLATES = re.compile(r"#\s*define\b[^\n]*\btemplate\b")
_QUOTED = re.compile(r"""["'](\w+)["']""")
_LOOK_BACK, _LOOK_AHEAD = 1000, 400  # characters around where a function begins
_LEAST_PART = 4  # letters of a name that may be part of a longer one


@dataclass(frozen=True)
class OwnNames:
    """Of functions, by how they are defined; `headers` are libraries whose headers it includes."""

    defined: frozenset[str] = frozenset()
    templates: frozenset[str] = frozenset()
    quoted: frozenset[str] = frozenset()
    headers: frozenset[str] = frozenset()

    def have(self, kernel: str) -> bool:
        """Whether one of them is the name of this kernel; what its parameters are says nothing."""
        head = kernel.replace("(anonymous namespace)", "").partition("(")[0]
        base, arguments, _ = head.removeprefix("void ").partition("<")
        last = re.split(r"\W+", base.strip())[-1]
        if not arguments and (last in self.quoted or _begins(base, self.quoted)):
            return True
        names = self.templates if arguments else self.defined | self.templates
        return last in names or any(len(name) >= _LEAST_PART and name in base for name in names)


def _begins(base: str, quoted: frozenset[str]) -> bool:
    """Compilers add to the name that they are given."""
    return any(len(name) >= _LEAST_PART and base.startswith(name) for name in quoted)


def own_names(candidate: Candidate) -> OwnNames:
    """Of all its files."""
    texts = [
        text for file in candidate.sources for text in _code(file.path.endswith(".py"), file.text)
    ]
    defined: set[str] = set()
    templates: set[str] = set()
    quoted: set[str] = set()
    for text in texts:
        quoted |= {text} if re.fullmatch(r"\w+", text) else set(_QUOTED.findall(text))
        defined |= {*_PYTHON.findall(text), *_ENTRY.findall(text)}
        templates |= set(_TEMPLATE.findall(text))
        any_template = _MAKES_TEMPLATES.search(text) is not None
        for name, is_template in _functions(text):
            (templates if is_template or any_template else defined).add(name)
    headers = frozenset(name for text in texts for name in _INCLUDED.findall(text))
    return OwnNames(frozenset(defined), frozenset(templates), frozenset(quoted), headers)


def _code(is_python: bool, text: str) -> Iterator[str]:
    """What a compiler may get: a file, or the strings and functions of one in Python."""
    try:
        tree = module_tree(text) if is_python else None
    except (SyntaxError, ValueError):
        tree = None
    if tree is None:
        yield _COMMENT.sub(" ", text)
        return
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield f"def {node.name}("
        elif isinstance(node, ast.Constant) and id(node) not in told:
            value = node.value
            if isinstance(value, str | bytes):
                found = value if isinstance(value, str) else value.decode("utf-8", "replace")
                yield _COMMENT.sub(" ", found)


def _functions(text: str) -> Iterator[tuple[str, bool]]:
    """Functions of C++ that return nothing, and whether each is a template."""
    for begin in _BEGINS.finditer(text):
        name = _name_after(text, begin.end())
        if name:
            before = re.split(r"[;}]", text[: begin.start()][-_LOOK_BACK:])[-1]
            yield max(name.split("##"), key=len), "template" in before


def _name_after(text: str, at: int) -> str:
    """The function's; attributes with arguments may stand before it."""
    end = min(len(text), at + _LOOK_AHEAD)
    while at < end:
        found = _CALLED.match(text, at)
        if found is None or text[found.start() : found.end()].strip() in (";", "{", "}", ")", "("):
            return ""
        at = found.end()
        name = found.group(1) or ""
        if name and not name.startswith("__"):
            return name
        if name:
            at = _closed(text, at)
    return ""


def _closed(text: str, at: int) -> int:
    """Behind the bracket that closes the one before `at`."""
    depth = 1
    while depth and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at
