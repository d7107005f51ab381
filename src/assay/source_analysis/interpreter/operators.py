"""Operators: arithmetic, comparisons, conditional expressions.

The rule: constants are worked out where that is cheap, numbers are free, tensors are computation.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from assay.source_analysis.interpreter.abstract_interpreter import ExpressionTable, Interpreter
from assay.source_analysis.interpreter.conditions import branch_guards, decide, truth
from assay.source_analysis.interpreter.dataflow import (
    compute,
    holds_kernel,
    mark_kernel,
    scalar_of,
    special_operator,
)
from assay.source_analysis.interpreter.effects import read_place
from assay.source_analysis.interpreter.tags import Guard, Weight
from assay.source_analysis.interpreter.texts import (
    joined,
    joined_path,
    outlined,
    percent_formatted,
    texts,
)
from assay.source_analysis.interpreter.values import (
    NOTHING,
    Box,
    Constant,
    Library,
    Scope,
    Value,
    all_buffers,
    either,
    join,
    ref,
)

_FOLDABLE: dict[type[ast.operator], Callable[[Any, Any], object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv, ast.Div: operator.truediv, ast.Pow: operator.pow,
}  # fmt: skip
_SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.MatMult: "@", ast.Div: "/", ast.Pow: "**",
    ast.Mod: "%", ast.FloorDiv: "//", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_MAX_TEXT = 200_000


def _if_expression(run: Interpreter, node: ast.IfExp, scope: Scope) -> Value:
    """`a if c else b`: one side where the condition is constant, else both."""
    test = run.evaluate(node.test, scope)
    answer = truth(test)
    if answer is not None:
        return run.evaluate(node.body if answer else node.orelse, scope)
    then_guard, else_guard = branch_guards(node.test, test)
    sides = [_under(run, then_guard, node.body, scope), _under(run, else_guard, node.orelse, scope)]
    if all(holds_kernel(side) for side in sides):
        mark_kernel(run, sides[0].buffers | sides[1].buffers, "either side")
    return either(sides)


def _under(run: Interpreter, guard: Guard, node: ast.expr, scope: Scope) -> Value:
    """The value of one side of a condition."""
    if guard is Guard.NONE:
        return run.evaluate(node, scope)
    run.flow.guards.append(guard)
    try:
        return run.evaluate(node, scope)
    finally:
        run.flow.guards.pop()


def _and_or(run: Interpreter, node: ast.BoolOp, scope: Scope) -> Value:
    """`and` / `or`: constants decide, as in Python."""
    is_and = isinstance(node.op, ast.And)
    parts: list[Value] = []
    for item in node.values:
        value = run.evaluate(item, scope)
        answer = truth(value)
        if answer is not None and answer is not is_and:
            return either([*parts, value])
        if answer is None or item is node.values[-1]:
            parts.append(value)
    return either(parts) if parts else NOTHING


def _unary(run: Interpreter, node: ast.UnaryOp, scope: Scope) -> Value:
    """`not`, `-`: free on numbers, a computation on tensors."""
    value = run.evaluate(node.operand, scope)
    if isinstance(node.op, ast.Not):
        answer = truth(value)
        return ref(Constant(not answer)) if answer is not None else scalar_of([value])
    constant = value.constant()
    if constant is not None and isinstance(constant.value, int | float):
        return ref(Constant(-constant.value)) if isinstance(node.op, ast.USub) else value
    if value.is_data:
        return compute(run, "unary operator", Weight.LIGHT, [value], scope.place(node))
    return special_operator(run, node.op, [value]) or value


def _binary(run: Interpreter, node: ast.BinOp, scope: Scope) -> Value:
    sides = [run.evaluate(node.left, scope), run.evaluate(node.right, scope)]
    return arithmetic(run, node, sides, scope)


def arithmetic(
    run: Interpreter, node: ast.BinOp | ast.AugAssign, sides: list[Value], scope: Scope
) -> Value:
    """`left op right`: folded on constants, free on numbers, a computation on tensors."""
    kind, where = node.op, scope.place(node)
    made = special_operator(run, kind, sides)
    made = made if made is not None else _fold(kind, sides[0], sides[1])
    if made is not None:
        return made
    if not any(side.is_data for side in sides):
        return _plain_arithmetic(run, kind, sides, where)
    name = f"operator {_SYMBOLS.get(type(kind), '?')}"
    weight = Weight.HEAVY if isinstance(kind, ast.MatMult) else Weight.LIGHT
    return compute(run, name, weight, [] if _vanishes(node, sides) else sides, where)


def _plain_arithmetic(
    run: Interpreter, kind: ast.operator, sides: list[Value], where: str
) -> Value:
    """Arithmetic on text, numbers, containers and C types."""
    text = _text_arithmetic(kind, sides)
    if text.refs:
        for path in texts(text) if isinstance(kind, ast.Div) else []:
            read_place(run, path, where)
        return join([text, scalar_of(sides)])
    boxes = frozenset(r for side in sides for r in side.refs if isinstance(r, Box | Library))
    if isinstance(kind, ast.Mult) and any(
        isinstance(item, Library) and item.name.startswith("ctypes.") for item in boxes
    ):
        return ref(Library("ctypes.Array"))
    return join([scalar_of(sides), Value(boxes)])


def _text_arithmetic(kind: ast.operator, sides: list[Value]) -> Value:
    """`"/proc/" + pid`, `folder / "mem"`, `"%s.so" % name`: an outline where text is known."""
    if not any(texts(side) for side in sides):
        return NOTHING
    if isinstance(kind, ast.Add):
        return joined(sides)
    if isinstance(kind, ast.Div):
        return join([joined_path(sides), *(side for side in sides if _is_path(side))])
    if isinstance(kind, ast.Mod):
        return outlined([percent_formatted(text) for text in texts(sides[0])])
    return NOTHING


def _is_path(value: Value) -> bool:
    """True for an object of pathlib, whose methods are called later."""
    return any("Path()" in item.name for item in value.of(Library))


def _fold(kind: ast.operator, left: Value, right: Value) -> Value | None:
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


def _small(value: object) -> bool:
    if isinstance(value, str | bytes):
        return len(value) < _MAX_TEXT
    return isinstance(value, float) or (isinstance(value, int) and abs(value) < 2**62)


def _vanishes(node: ast.BinOp | ast.AugAssign, sides: list[Value]) -> bool:
    """True for `y * 0` and `y - y`: the result holds nothing of its operands."""
    if isinstance(node.op, ast.Mult):
        return any(c is not None and c.value == 0 for c in (side.constant() for side in sides))
    if isinstance(node.op, ast.Sub) and isinstance(node, ast.BinOp):
        return ast.dump(node.left) == ast.dump(node.right)
    return False


def _comparison(run: Interpreter, node: ast.Compare, scope: Scope) -> Value:
    """A comparison: decided for constants and `is None`."""
    values = [run.evaluate(item, scope) for item in (node.left, *node.comparators)]
    if len(values) == 2:
        decided = decide(node.ops[0], values[0], values[1])
        if decided is not None:
            return ref(Constant(decided))
    is_membership = isinstance(node.ops[0], ast.In | ast.NotIn | ast.Is | ast.IsNot)
    if not is_membership and any(value.is_data for value in values):
        return compute(run, "comparison", Weight.LIGHT, values, scope.place(node))
    return scalar_of([Value(buffers=frozenset(all_buffers(value))) for value in values])


EXPRESSIONS: ExpressionTable = {
    ast.IfExp: _if_expression, ast.BoolOp: _and_or, ast.UnaryOp: _unary, ast.BinOp: _binary,
    ast.Compare: _comparison,
}  # fmt: skip
