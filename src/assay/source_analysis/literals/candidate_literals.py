"""Literals of a candidate: of every file, and of the texts of other languages inside them.

The rule: bounded and without failure. What cannot be read as code is read as tokens; what is too
long is cut.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from assay.data.candidate import Candidate, SourceFile
from assay.python_tree import module_tree
from assay.source_analysis.cpp.cpp_tokens import looks_like_cpp
from assay.source_analysis.literals.cpp_literals import cpp_literals
from assay.source_analysis.literals.python_literals import python_literals
from assay.source_analysis.literals.source_literal import LiteralUse, SourceLiteral, ranked

_LONGEST = 400_000  # characters of one text
_SHORTEST = 12  # characters of a string that may hold code
_DEEPEST = 2  # texts in texts


def candidate_literals(candidate: Candidate) -> tuple[SourceLiteral, ...]:
    """Every number once, the ones that are compared first."""
    return ranked(literal for file in candidate.sources for literal in _of_file(file))


def _of_file(file: SourceFile) -> Iterator[SourceLiteral]:
    text = file.text[:_LONGEST]
    if file.path.endswith(".py"):
        yield from _of_python(text, file.path, 0, 1)
    else:
        yield from cpp_literals(text, file.path)


def _of_python(text: str, path: str, depth: int, first_line: int) -> Iterator[SourceLiteral]:
    try:
        tree = module_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from cpp_literals(text, path, first_line)
        return
    if first_line > 1:
        ast.increment_lineno(tree, first_line - 1)
    yield from python_literals(tree, path)
    prose = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in prose and depth < _DEEPEST:
            yield from _of_string(node, path, depth)


def _of_string(node: ast.Constant, path: str, depth: int) -> Iterator[SourceLiteral]:
    """A string that is code; of any other the numbers, which may be read from it."""
    text = node.value
    if not isinstance(text, str) or not any(c.isdigit() for c in text):
        return
    text = text[:_LONGEST]
    if looks_like_cpp(text):
        yield from cpp_literals(text, path, node.lineno)
    elif len(text) >= _SHORTEST and "\n" in text and _is_python(text):
        yield from _of_python(text, path, depth + 1, node.lineno)
    else:
        for found in cpp_literals(text, path, node.lineno):
            yield SourceLiteral(found.value, LiteralUse.PLAIN, found.where)


def _is_python(text: str) -> bool:
    try:
        return any(not isinstance(node, ast.Expr) for node in module_tree(text).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
