"""Counters of Python text: names, attributes and elements that one call leaves for the next.

The rule: a counter is a place that outlives a call and whose new value is made of its old one. It
may be read by `get`, `getattr` or another name before it is written. What is assigned from a
counter counts as one too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

_ROUNDS = 3  # of following what was assigned from a counter, or what a value is made of
_READERS = frozenset(("get", "setdefault", "pop"))  # of an element by its key


@dataclass
class _Assignments:
    """What a file writes to: each target as text, with its value."""

    found: list[tuple[str, ast.expr]] = field(default_factory=list)
    added_to: set[str] = field(default_factory=set)  # targets of `+=` and its like
    shared: set[str] = field(default_factory=set)  # names that are global or of an outer function

    def outlives(self, target: str) -> bool:
        return target in self.shared or "." in target or "[" in target

    def parts(self, value: ast.expr) -> list[ast.expr]:
        """A value and those of the names that it is made of."""
        parts = [value]
        for _ in range(_ROUNDS):
            names = {n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)}
            parts = [value, *(one for target, one in self.found if target in names)]
        return parts


def counted(tree: ast.Module) -> frozenset[str]:
    """Attributes, elements and globals that are counted up, and what is assigned from them."""
    assignments = _assignments(tree)
    found = {target for target in assignments.added_to if assignments.outlives(target)}
    for target, value in assignments.found:
        if assignments.outlives(target) and _made_of_itself(target, value, assignments):
            found.add(target)
    for _ in range(_ROUNDS):
        found |= {target for target, value in assignments.found if follows(value, found)}
    return frozenset(found)


def follows(node: ast.expr, counters: frozenset[str] | set[str]) -> bool:
    """Whether an expression follows what earlier calls left."""
    return any(place == "next()" or place in counters for place in _places(node))


def _assignments(tree: ast.Module) -> _Assignments:
    made = _Assignments()
    for node in ast.walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            made.shared |= set(node.names)
        elif isinstance(node, ast.AugAssign):
            made.added_to.add(ast.unparse(node.target))
        elif isinstance(node, ast.Assign):
            made.found += [(ast.unparse(target), node.value) for target in node.targets]
        elif isinstance(node, ast.NamedExpr):
            made.found.append((node.target.id, node.value))
        elif isinstance(node, ast.Call) and len(node.args) == 3 and _is_called(node, "setattr"):
            made.found.append((_attribute(node), node.args[2]))
    return made


def _made_of_itself(target: str, value: ast.expr, assignments: _Assignments) -> bool:
    """Computed from its old value: what is only looked up and kept again is a cache."""
    if target in _places(value):
        return True
    parts = assignments.parts(value)
    computed = any(isinstance(n, ast.BinOp) for part in parts for n in ast.walk(part))
    return computed and any(target in _places(part) for part in parts)


def _places(node: ast.expr) -> Iterator[str]:
    """What an expression reads, each place in the form in which it is written to."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name | ast.Attribute | ast.Subscript):
            yield ast.unparse(inner)
        elif isinstance(inner, ast.Call) and inner.args:
            function = inner.func
            if isinstance(function, ast.Attribute) and function.attr in _READERS:
                yield f"{ast.unparse(function.value)}[{ast.unparse(inner.args[0])}]"
            elif _is_called(inner, "getattr") and len(inner.args) > 1:
                yield _attribute(inner)
            elif _is_called(inner, "next"):
                yield "next()"


def _is_called(node: ast.Call, name: str) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == name


def _attribute(node: ast.Call) -> str:
    """`x.count` for the first arguments of `getattr(x, "count")`."""
    name = node.args[1]
    said = str(name.value) if isinstance(name, ast.Constant) else ast.unparse(name)
    return f"{ast.unparse(node.args[0])}.{said}"
