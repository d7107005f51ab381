"""Conditions of branches: what kind of question an `if` asks.

The rule: an empty input, a missing device or package is an innocent reason for another road; a
clock, a call counter, the surroundings or something kept from earlier calls is a telling one.
"""

from __future__ import annotations

import ast

from assay.guard.tags import Guard, Origin
from assay.guard.values import Value

_DEVICE_WORDS = frozenset(
    """is_cuda is_cpu device is_available device_count is_xpu is_mps is_hip cuda_is_available
    CUDA_AVAILABLE get_device_capability get_device get_device_properties is_meta""".split()
)
_SIZE_NAMES = frozenset("n m k b rows cols numel size total count batch n_rows n_cols".split())


def branch_guards(test: ast.expr, value: Value) -> tuple[Guard, Guard]:
    """Guards of the two sides of `if test`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        other, own = branch_guards(test.operand, value)
        return own, other
    if _asks_device(test):
        return Guard.BENIGN, Guard.BENIGN
    origins = {tag.origin for tag in value.tags}
    if origins & {Origin.PAST, Origin.CLOCK, Origin.SURROUNDINGS}:
        return Guard.PHASE, Guard.PHASE
    empty = _asks_empty(test)
    if empty is not None:
        return (Guard.BENIGN, Guard.NONE) if empty else (Guard.NONE, Guard.BENIGN)
    return Guard.CONDITION, Guard.CONDITION


def _asks_device(test: ast.expr) -> bool:
    for node in ast.walk(test):
        word = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        if word in _DEVICE_WORDS or str(word).upper().startswith(
            ("HAS_", "_HAS_", "HAVE_", "_HAVE_")
        ):
            return True
        if str(word).lower().endswith("available"):
            return True
    return False


def _asks_empty(test: ast.expr) -> bool | None:
    """True where the condition holds for an empty input, False where it holds for a full one."""
    if isinstance(test, ast.BoolOp):
        answers = [_asks_empty(value) for value in test.values]
        return answers[0] if len(set(answers)) == 1 else None
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _compares_empty(test)
    is_size = isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute)
    if is_size and isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute):
        return False if test.func.attr in ("numel", "size", "nelement") else None
    return False if isinstance(test, ast.Name) and test.id.lower() in _SIZE_NAMES else None


def _compares_empty(test: ast.Compare) -> bool | None:
    right, kind = test.comparators[0], test.ops[0]
    if not isinstance(right, ast.Constant) or not isinstance(right.value, int):
        return None
    if right.value == 0 and isinstance(kind, ast.Eq | ast.LtE):
        return True
    if right.value == 0 and isinstance(kind, ast.Gt | ast.NotEq):
        return False
    if right.value == 1 and isinstance(kind, ast.Lt):
        return True
    return False if right.value == 1 and isinstance(kind, ast.GtE) else None
