"""StraightLine: the statements that lead to one call, as if there were no loops and branches.

The rule: a loop with the call in it is entered once, in the iteration that says most: of words the
plainest, of sizes the largest, of a range the middle. Any other loop stays as it is.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod

PLAIN_WORDS = ("standard", "normal", "none")  # of a loop over words: one of these, else the first
Targets = Callable[[ast.Call], bool]


class CounterAssign(ast.Assign):
    """What a range gives its loop's variable in the iteration that is entered."""


@dataclass(frozen=True)
class CallPlace:
    """One call, and what is run before it."""

    before: tuple[ast.stmt, ...]
    call: ast.Call


def call_sites(body: Iterable[ast.stmt], is_target: Targets) -> list[CallPlace]:
    """Every call that is meant, in order; at most one for each place in the source."""
    walk = _Walk(is_target)
    walk.run(body, [])
    return walk.sites


def root_name(node: ast.expr) -> str:
    """`f` of `f`, `f.g`, `f[grid]` and `f(x).g`; empty for what has none."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def stored_names(node: ast.AST) -> set[str]:
    """Names that are bound in it."""
    found = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return {n.id for n in found if isinstance(n.ctx, ast.Store)}


class _Walk:
    def __init__(self, is_target: Targets) -> None:
        self.sites: list[CallPlace] = []
        self._is_target = is_target

    def run(self, body: Iterable[ast.stmt], before: list[ast.stmt]) -> None:
        """Adds to `before` what has been run, and to the sites what was found."""
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                before.append(node)
            elif isinstance(node, ast.For) and self._within(node):
                bound = _bound(node, before)
                if bound is not None:
                    before.append(bound)
                    self.run(node.body, before)
            elif isinstance(node, ast.If | ast.While) and self._within(node):
                self.run(node.body, before)
                self.run(node.orelse, list(before))
            elif isinstance(node, ast.With | ast.Try):
                self.run(node.body, before)
            else:
                self.sites += [CallPlace(tuple(before), call) for call in self._within(node)]
                if not _leaves(node):
                    before.append(node)

    def _within(self, node: ast.stmt) -> list[ast.Call]:
        found = [n for n in ast.walk(node) if isinstance(n, ast.Call) and self._is_target(n)]
        return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def _leaves(node: ast.stmt) -> bool:
    """Whether it ends a loop or the function early."""
    return any(isinstance(n, ast.Break | ast.Continue | ast.Return) for n in ast.walk(node))


def _bound(loop: ast.For, before: list[ast.stmt]) -> ast.stmt | None:
    """The assignment of the loop's variable in the iteration that is entered."""
    value = _iteration(loop.iter, before)
    if value is None:
        return None
    counts = isinstance(loop.iter, ast.Call) and root_name(loop.iter) == "range"
    kind = CounterAssign if counts else ast.Assign
    made = kind(targets=[copy.deepcopy(loop.target)], value=copy.deepcopy(value))
    return ast.fix_missing_locations(ast.copy_location(made, loop))


def _iteration(node: ast.expr, before: list[ast.stmt]) -> ast.expr | None:
    match node:
        case ast.Name(id=name):
            bound = _last_value(name, before)
            return None if bound is None else _iteration(bound, before)
        case ast.Tuple(elts=elements) | ast.List(elts=elements) if elements:
            return _plainest(elements)
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
            return _pair(ast.Constant(0), _iteration(inner, before))
        case ast.Call(func=ast.Name(id="zip"), args=parts) if parts:
            chosen = [_first(part, before) for part in parts]
            known = [one for one in chosen if one is not None]
            return ast.Tuple(known, ast.Load()) if len(known) == len(parts) else None
        case ast.Call(func=ast.Name(id="range"), args=ends):
            return _middle(ends)
    return None


def _last_value(name: str, before: list[ast.stmt]) -> ast.expr | None:
    for node in reversed(before):
        match node:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                return value
    return None


def _first(node: ast.expr, before: list[ast.stmt]) -> ast.expr | None:
    bound = _last_value(node.id, before) if isinstance(node, ast.Name) else node
    if isinstance(bound, ast.Tuple | ast.List) and bound.elts:
        return bound.elts[0]
    return None if bound is None else _iteration(bound, before)


def _pair(first: ast.expr, second: ast.expr | None) -> ast.expr | None:
    return None if second is None else ast.Tuple([first, second], ast.Load())


def _plainest(elements: list[ast.expr]) -> ast.expr:
    words = [e for e in elements if isinstance(e, ast.Constant) and e.value in PLAIN_WORDS]
    return words[0] if words else max(elements, key=_size)


def _size(node: ast.expr) -> int:
    """The product of the integers in it; of equal ones the first counts."""
    found = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant))
    return prod(value for value in found if type(value) is int and value > 0)


def _middle(ends: list[ast.expr]) -> ast.expr | None:
    """The middle of a range of literals; where an end is computed, its beginning."""
    values = [end.value for end in ends if isinstance(end, ast.Constant)]
    numbers = [value for value in values if type(value) is int]
    if len(numbers) < len(ends):
        begins = ends[0] if len(ends) > 1 else ast.Constant(0)
        return begins if isinstance(begins, ast.Constant) else None
    every = range(*numbers[:3])
    return ast.Constant(every[len(every) // 2]) if len(ends) > 1 and every else ast.Constant(0)
