"""TupleNames: names that stand for tuples and counters, replaced by what they stand for.

The rule: `case = (x, 3)`, `a, n = case`, `f(*case)`, `case[0]` all become uses of `x` and `3`; the
counter of a loop becomes its number, and arithmetic on numbers alone is folded.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable

from assay.tasks.readers.slices.straight_line import CounterAssign, stored_names
from assay.tasks.shapes.source_sizes import constant_int


class TupleNames(ast.NodeTransformer):
    """Rewrites statements in the order in which they run."""

    def __init__(self) -> None:
        self._tuples: dict[str, list[ast.expr]] = {}
        self._literals: dict[str, list[ast.expr]] = {}
        self._numbers: dict[str, int] = {}

    def run(self, statements: Iterable[ast.stmt]) -> list[ast.stmt]:
        """New statements; those given are left alone."""
        made: list[ast.stmt] = []
        for node in statements:
            made += self._statement(copy.deepcopy(node))
        return [ast.fix_missing_locations(node) for node in made]

    def expression(self, node: ast.expr) -> ast.expr:
        """The same of an expression that is evaluated after them."""
        made: ast.expr = self.visit(copy.deepcopy(node))
        return ast.fix_missing_locations(made)

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        if not isinstance(node, ast.Assign):
            hidden = self._hidden(node)
            made = self.visit(node)
            self._tuples |= hidden
            return [made]
        node.value = self.visit(node.value)
        made_all: list[ast.stmt] = []
        for target in node.targets:
            value = copy.deepcopy(node.value)
            if isinstance(target, ast.Tuple | ast.List):
                made_all += self._unpacked(target, value, node)
            elif isinstance(target, ast.Name):
                made_all += self._named(target, value, node)
            else:
                made_all.append(_assign(self.visit(target), value, node))
        return made_all

    def _hidden(self, node: ast.stmt) -> dict[str, list[ast.expr]]:
        """Forgets, while it is rewritten, what a loop binds for itself."""
        bound = stored_names(node)
        for name in bound:
            self._numbers.pop(name, None)
        return {name: self._tuples.pop(name) for name in bound if name in self._tuples}

    def _unpacked(
        self, target: ast.Tuple | ast.List, value: ast.expr, like: ast.stmt
    ) -> list[ast.stmt]:
        parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        if isinstance(value, ast.Name):
            parts = copy.deepcopy(self._literals.get(value.id, []))
        if len(parts) != len(target.elts) or any(isinstance(t, ast.Starred) for t in target.elts):
            for name in (t.id for t in target.elts if isinstance(t, ast.Name)):
                self._forget(name)
            return [_assign(target, value, like)]
        made: list[ast.stmt] = []
        for place, part in zip(target.elts, parts, strict=True):
            if isinstance(place, ast.Name):
                made += self._named(place, part, like)
            else:
                made.append(_assign(place, part, like))
        return made

    def _named(self, target: ast.Name, value: ast.expr, like: ast.stmt) -> list[ast.stmt]:
        self._forget(target.id)
        if isinstance(value, ast.Name) and value.id == target.id:
            return []
        number = constant_int(value)
        if isinstance(like, CounterAssign) and number is not None:
            self._numbers[target.id] = number
            return []
        if not isinstance(value, ast.Tuple | ast.List):
            return [_assign(target, value, like)]
        if _is_literal(value):
            self._literals[target.id] = value.elts
            return [_assign(target, value, like)]
        made: list[ast.stmt] = []
        parts: list[ast.expr] = []
        for place, part in enumerate(value.elts):
            if not isinstance(part, ast.Name | ast.Constant | ast.Tuple | ast.List):
                name = f"{target.id}_{place}"
                made.append(_assign(ast.Name(name, ast.Store()), part, like))
                part = ast.Name(name, ast.Load())
            parts.append(part)
        self._tuples[target.id] = parts
        return made

    def _forget(self, name: str) -> None:
        self._tuples.pop(name, None)
        self._literals.pop(name, None)
        self._numbers.pop(name, None)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A tuple's or counter's name where it is read."""
        if isinstance(node.ctx, ast.Store):
            return node
        if node.id in self._numbers:
            return ast.Constant(self._numbers[node.id])
        if node.id in self._tuples:
            return ast.Tuple(copy.deepcopy(self._tuples[node.id]), ast.Load())
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """An element of a known tuple."""
        self.generic_visit(node)
        index = node.slice.value if isinstance(node.slice, ast.Constant) else None
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else []
        known = type(index) is int and -len(parts) <= index < len(parts)
        return parts[index] if known and type(index) is int else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """Arithmetic on numbers, once a counter is one."""
        known = constant_int(node)
        self.generic_visit(node)
        number = constant_int(node)
        return ast.Constant(number) if known is None and number is not None else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """`f(*case)` as a call with the parts of the case."""
        self.generic_visit(node)
        arguments: list[ast.expr] = []
        for given in node.args:
            if isinstance(given, ast.Starred) and isinstance(given.value, ast.Tuple | ast.List):
                arguments += given.value.elts
            else:
                arguments.append(given)
        node.args = arguments
        return node


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError):
        return False
    return True


def _assign(target: ast.expr, value: ast.expr, like: ast.stmt) -> ast.Assign:
    return ast.copy_location(ast.Assign(targets=[target], value=value), like)
