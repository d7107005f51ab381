"""Conditions: what kind of question an `if` asks, and which answers the source settles.

The rule: an empty input, a missing device or package is an innocent reason for another road; a
clock, a call counter, the surroundings or something kept from earlier calls is suspect. Only
constants, `None` and things that exist for certain settle an answer; whatever came out of a call
that was not followed leaves it open.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from assay.source_analysis.interpreter.tags import Guard, Origin
from assay.source_analysis.interpreter.values import (
    Class,
    Constant,
    Extension,
    FunctionValue,
    Generated,
    Instance,
    Kernel,
    Layer,
    Library,
    Method,
    Ref,
    Unsettled,
    Untracked,
    Value,
)

_DEVICE_WORDS = frozenset(
    """is_cuda is_cpu device is_available device_count is_xpu is_mps is_hip cuda_is_available
    CUDA_AVAILABLE get_device_capability get_device get_device_properties is_meta""".split()
)
_SIZE_NAMES = frozenset("n m k b rows cols numel size total count batch n_rows n_cols".split())
_ORDER: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_EMPTY: dict[tuple[type[ast.cmpop], int], bool] = {
    (ast.Eq, 0): True, (ast.LtE, 0): True, (ast.Lt, 1): True,
    (ast.Gt, 0): False, (ast.NotEq, 0): False, (ast.GtE, 1): False,
}  # fmt: skip


def branch_guards(test: ast.expr, value: Value) -> tuple[Guard, Guard]:
    """Guards of the two sides of `if test`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        other, own = branch_guards(test.operand, value)
        return own, other
    if any(_names_device(node) for node in ast.walk(test)):
        return Guard.BENIGN, Guard.BENIGN
    origins = {tag.origin for tag in value.tags}
    if origins & {Origin.PAST, Origin.CLOCK, Origin.SURROUNDINGS}:
        return Guard.PHASE, Guard.PHASE
    empty = _asks_empty(test)
    if empty is not None:
        return (Guard.BENIGN, Guard.NONE) if empty else (Guard.NONE, Guard.BENIGN)
    return Guard.CONDITION, Guard.CONDITION


def _names_device(node: ast.AST) -> bool:
    word = str(node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", ""))
    has = word.upper().startswith(("HAS_", "_HAS_", "HAVE_", "_HAVE_"))
    return word in _DEVICE_WORDS or has or word.lower().endswith("available")


def _asks_empty(test: ast.expr) -> bool | None:
    """True where the condition holds for an empty input, False where it holds for a full one."""
    match test:
        case ast.BoolOp(values=values):
            answers = [_asks_empty(value) for value in values]
            return answers[0] if len(set(answers)) == 1 else None
        case ast.Compare(ops=[kind], comparators=[ast.Constant(int() as bound)]):
            return _EMPTY.get((type(kind), bound))
        case ast.Call(func=ast.Attribute(attr="numel" | "size" | "nelement")):
            return False
        case ast.Name(id=name) if name.lower() in _SIZE_NAMES:
            return False
    return None


def decide(kind: ast.cmpop, left: Value, right: Value) -> bool | None:
    """The answer to a comparison; None where the source does not settle it."""
    a, b = left.constant(), right.constant()
    if isinstance(kind, ast.Is | ast.IsNot) and b is not None and b.value is None:
        is_none = _is_none(left)
        return is_none if is_none is None or isinstance(kind, ast.Is) else not is_none
    if a is None or b is None:
        return None
    if isinstance(kind, ast.Eq | ast.NotEq):
        return (a.value == b.value) is isinstance(kind, ast.Eq)
    compare = _ORDER.get(type(kind))
    numbers = isinstance(a.value, int | float) and isinstance(b.value, int | float)
    return bool(compare(a.value, b.value)) if compare and numbers else None


def _is_none(value: Value) -> bool | None:
    """Whether a value is None; None where that is not certain."""
    if value.constant() is not None:
        return any(item.value is None for item in value.of(Constant))
    may_be = any(item.value is None for item in value.of(Constant))
    certain = not may_be and bool(value.is_data or value.refs)
    return False if certain and not any(_is_open(item) for item in value.refs) else None


def _is_open(item: Ref) -> bool:
    """True for what a call the analysis did not follow may have returned."""
    handle = isinstance(item, Library) and item.name.endswith("()")
    return isinstance(item, Method | Unsettled | Untracked) or handle


def truth(value: Value) -> bool | None:
    """The truth of a value where it is certain."""
    constant = value.constant()
    if constant is not None:
        return bool(constant.value)
    solid = value.refs and not value.buffers and all(_is_solid(item) for item in value.refs)
    return True if solid else None


def _is_solid(item: Ref) -> bool:
    """True for what counts as true in a condition."""
    if isinstance(item, Instance):
        return not any(item.kind.find(name) for name in ("__bool__", "__len__"))
    return isinstance(item, FunctionValue | Class | Kernel | Extension | Layer | Generated)
