"""Operators in the abstract run: arithmetic, comparisons, conditions, library computations.

The rule: constants are worked out where that is cheap, numbers are free, tensors are computation.
"""

from __future__ import annotations

import ast
import operator
from abc import abstractmethod
from collections.abc import Callable

from assay.guard.certainty import decide, is_solid
from assay.guard.conditions import branch_guards
from assay.guard.operation_names import finishes_reduction
from assay.guard.tags import Guard, Origin, Tag, Weight
from assay.guard.texts import joined, joined_path, outlined, percent_formatted, texts
from assay.guard.trace import Phase
from assay.guard.trace_attributes import AttributeTrace
from assay.guard.values import (
    NOTHING,
    Box,
    Constant,
    Library,
    Ref,
    Scope,
    Value,
    all_buffers,
    join,
    ref,
)

_FOLDABLE: dict[type[ast.operator], Callable[[object, object], object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv, ast.Div: operator.truediv, ast.Pow: operator.pow,
}  # fmt: skip
_SYMBOLS = {
    "Add": "+", "Sub": "-", "Mult": "*", "MatMult": "@", "Div": "/", "Pow": "**", "Mod": "%",
    "FloorDiv": "//", "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>",
}  # fmt: skip
_MAX_TEXT = 200_000


class OperatorTrace(AttributeTrace):
    """Evaluates operators."""

    @abstractmethod
    def evaluate(self, node: ast.expr | None, scope: Scope) -> Value:
        """The value of an expression; the expression trace knows how."""

    @abstractmethod
    def read_place(self, path: str, where: str) -> None:
        """Record a place that is read; the path trace knows which say anything."""

    def on_IfExp(self, node: ast.IfExp, scope: Scope) -> Value:
        """`a if c else b`: one side where the condition is constant, else both."""
        test = self.evaluate(node.test, scope)
        truth = self.truth(test)
        if truth is not None:
            return self.evaluate(node.body if truth else node.orelse, scope)
        sides = [
            self._under(guard, side, scope)
            for guard, side in zip(
                branch_guards(node.test, test), (node.body, node.orelse), strict=True
            )
        ]
        if all(holds_kernel(side) for side in sides):
            for buffer in frozenset().union(*(side.buffers for side in sides)):
                buffer.tags.add(Tag(Origin.KERNEL, "either side", guard=self.guard))
        return join(sides)

    def _under(self, guard: Guard, node: ast.expr, scope: Scope) -> Value:
        """The value of one side of a condition."""
        if guard is Guard.NONE:
            return self.evaluate(node, scope)
        self.guards.append(guard)
        try:
            return self.evaluate(node, scope)
        finally:
            self.guards.pop()

    def on_BoolOp(self, node: ast.BoolOp, scope: Scope) -> Value:
        """`and` / `or`: constants decide, as in Python."""
        is_and = isinstance(node.op, ast.And)
        parts: list[Value] = []
        for item in node.values:
            value = self.evaluate(item, scope)
            truth = self.truth(value)
            if truth is not None and truth is not is_and:
                return value if not parts else join([*parts, value])
            if truth is None or item is node.values[-1]:
                parts.append(value)
        return join(parts) if parts else NOTHING

    def on_UnaryOp(self, node: ast.UnaryOp, scope: Scope) -> Value:
        """`not`, `-`: free on numbers, a computation on tensors."""
        value = self.evaluate(node.operand, scope)
        if isinstance(node.op, ast.Not):
            truth = self.truth(value)
            return ref(Constant(not truth)) if truth is not None else self.scalar_of([value])
        constant = value.constant()
        if constant is not None and isinstance(constant.value, int | float):
            negative = isinstance(node.op, ast.USub)
            return ref(Constant(-constant.value)) if negative else value
        if value.is_data:
            return self.compute("unary operator", Weight.LIGHT, [value], self.place(node, scope))
        return self.special_operator(node.op, [value]) or value

    def on_BinOp(self, node: ast.BinOp, scope: Scope) -> Value:
        """Arithmetic: folded on constants, free on numbers, a computation on tensors."""
        left, right = self.evaluate(node.left, scope), self.evaluate(node.right, scope)
        return self.arithmetic(node, node.op, [left, right], scope)

    def arithmetic(
        self, node: ast.AST, kind: ast.operator, sides: list[Value], scope: Scope
    ) -> Value:
        """The value of `left op right`."""
        special = self.special_operator(kind, sides)
        if special is not None:
            return special
        left, right = sides
        folded = self._fold(kind, left, right)
        if folded is not None:
            return folded
        if not (left.is_data or right.is_data):
            text = self._text_arithmetic(kind, sides)
            if text.refs:
                for path in texts(text) if isinstance(kind, ast.Div) else []:
                    self.read_place(path, self.place(node, scope))
                return join([text, self.scalar_of(sides)])
            boxes = frozenset(r for v in sides for r in v.refs if isinstance(r, Box | Library))
            if isinstance(kind, ast.Mult) and any(_is_c_type(r) for r in boxes):
                return ref(Library("ctypes.Array"))
            return join([self.scalar_of(sides), Value(boxes)])
        symbol = _SYMBOLS.get(type(kind).__name__, "?")
        heavy = isinstance(kind, ast.MatMult)
        weight = Weight.HEAVY if heavy else Weight.LIGHT
        if self._vanishes(node, kind, left, right):
            sides = []
        return self.compute(f"operator {symbol}", weight, sides, self.place(node, scope))

    def _text_arithmetic(self, kind: ast.operator, sides: list[Value]) -> Value:
        """`"/proc/" + pid`, `folder / "mem"`, `"%s.so" % name`: an outline where text is known."""
        if not any(texts(side) for side in sides):
            return NOTHING
        if isinstance(kind, ast.Add):
            return joined(sides)
        if isinstance(kind, ast.Div):
            return join([joined_path(sides), *(v for v in sides if _is_path(v))])
        if isinstance(kind, ast.Mod):
            return outlined([percent_formatted(text) for text in texts(sides[0])])
        return NOTHING

    def _fold(self, kind: ast.operator, left: Value, right: Value) -> Value | None:
        a, b, fold = left.constant(), right.constant(), _FOLDABLE.get(type(kind))
        if a is None or b is None or fold is None:
            return None
        has_text = isinstance(a.value, str | bytes) or isinstance(b.value, str | bytes)
        if has_text and not isinstance(kind, ast.Add):
            # `"x" * 10**9` and `"%999999999d" % 1` must not be worked out here
            return None if isinstance(kind, ast.Mod) else NOTHING
        if not _small(a.value) or not _small(b.value) or isinstance(kind, ast.Pow):
            return NOTHING
        try:
            return ref(Constant(fold(a.value, b.value)))
        except (TypeError, ValueError, ArithmeticError):
            return NOTHING

    def _vanishes(self, node: ast.AST, kind: ast.operator, left: Value, right: Value) -> bool:
        """True for `y * 0` and `y - y`: the result holds nothing of its operands."""
        if isinstance(kind, ast.Mult):
            return any(c is not None and c.value == 0 for c in (left.constant(), right.constant()))
        if isinstance(kind, ast.Sub) and isinstance(node, ast.BinOp):
            return ast.dump(node.left) == ast.dump(node.right)
        return False

    def on_Compare(self, node: ast.Compare, scope: Scope) -> Value:
        """A comparison: decided for constants and `is None`."""
        values = [self.evaluate(item, scope) for item in (node.left, *node.comparators)]
        if len(values) == 2:
            decided = decide(node.ops[0], values[0], values[1])
            if decided is not None:
                return ref(Constant(decided))
        is_membership = isinstance(node.ops[0], ast.In | ast.NotIn | ast.Is | ast.IsNot)
        if not is_membership and any(value.is_data for value in values):
            return self.compute("comparison", Weight.LIGHT, values, self.place(node, scope))
        held = [Value(buffers=frozenset(all_buffers(value))) for value in values]
        return self.scalar_of(held)

    def truth(self, value: Value) -> bool | None:
        """The truth of a value where it is certain."""
        constant = value.constant()
        if constant is not None:
            return bool(constant.value)
        if value.refs and not value.buffers and all(is_solid(r) for r in value.refs):
            return True
        return None

    def scalar_of(self, values: list[Value]) -> Value:
        """A Python number made from values: tainted like them, free to compute with."""
        buffers = frozenset(b for value in values for b in value.buffers)
        return Value(buffers=buffers, scalar=True) if buffers else NOTHING

    def compute(self, name: str, weight: Weight, operands: list[Value], where: str) -> Value:
        """A library computation: a new tensor that holds its operands and says who made it."""
        tags = self.tensor_tags(operands)
        origins = {tag.origin for tag in tags}
        work = weight is not Weight.LIGHT and not finishes_reduction(name)
        given = [tag for tag in tags if tag.origin is Origin.INPUT]
        counts = weight is not Weight.LIGHT or not all(tag.small for tag in given)
        on_input = (bool(given) and counts) or (work and Origin.KERNEL in origins)
        made = Tag(Origin.LIBRARY, name, where, weight, self.guard, on_input)
        if self.phase is Phase.FORWARD:
            self.computed.setdefault((name, where), made)
        return self.new_buffer(tags | {made})


def holds_kernel(value: Value) -> bool:
    """True where a value may hold what a kernel made."""
    return any(tag.origin is Origin.KERNEL for tag in value.tags)


def _small(value: object) -> bool:
    if isinstance(value, str | bytes):
        return len(value) < _MAX_TEXT
    return isinstance(value, float) or (isinstance(value, int) and abs(value) < 2**62)


def _is_path(value: Value) -> bool:
    """True for an object of pathlib, whose methods are called later."""
    return any(isinstance(r, Library) and "Path()" in r.name for r in value.refs)


def _is_c_type(item: Ref) -> bool:
    return isinstance(item, Library) and item.name.startswith("ctypes.")
