"""Certainty: comparisons and conditions that the source settles.

The rule: only constants, `None` and things that exist for certain settle anything; whatever came
out of a call that was not followed leaves a question open.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from assay.guard.values import (
    ClassRef,
    Constant,
    Extension,
    Function,
    Generated,
    Instance,
    Kernel,
    Layer,
    Library,
    Lost,
    Method,
    Ref,
    Value,
)

_ORDER: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


def decide(kind: ast.cmpop, left: Value, right: Value) -> bool | None:
    """The answer to a comparison; None where the source does not settle it."""
    a, b = left.constant(), right.constant()
    if isinstance(kind, ast.Is | ast.IsNot) and b is not None and b.value is None:
        may_be_none = any(isinstance(r, Constant) and r.value is None for r in left.refs)
        certain = bool(left.is_data or left.refs) if not may_be_none else a is not None
        answer = may_be_none if isinstance(kind, ast.Is) else not may_be_none
        known = a is not None or not any(_is_open(r) for r in left.refs)
        return answer if certain and known else None
    if a is None or b is None:
        return None
    if isinstance(kind, ast.Eq | ast.NotEq):
        return (a.value == b.value) is isinstance(kind, ast.Eq)
    compare = _ORDER.get(type(kind))
    numbers = isinstance(a.value, int | float) and isinstance(b.value, int | float)
    return bool(compare(a.value, b.value)) if compare and numbers else None


def _is_open(item: Ref) -> bool:
    """True for what a call the analysis did not follow may have returned."""
    handle = isinstance(item, Library) and item.name.endswith("()")
    return isinstance(item, Method | Lost) or handle


def is_solid(item: Ref) -> bool:
    """True for what counts as true in a condition."""
    if isinstance(item, Instance):
        return not any(item.object.kind.find(name) for name in ("__bool__", "__len__"))
    return isinstance(item, Function | ClassRef | Kernel | Extension | Layer | Generated)
