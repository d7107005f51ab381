"""Constant folding: the value of an expression of numbers, written in Python or in C++.

The rule: nothing is run. Only arithmetic of small numbers is carried out; whatever else stands in
an expression makes it no constant.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

from assay.python_tree import expression_tree

_LARGEST = 1e18
_DEEPEST = 12
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_WHOLE: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.BitAnd: operator.and_,
}

Names = Mapping[str, float]


def constant(node: ast.expr, names: Names, depth: int = 0) -> float | None:
    """The number that an expression always is; None where it is none."""
    if depth > _DEEPEST:
        return None
    if isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return value if abs(value) <= _LARGEST else None
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = constant(node.operand, names, depth + 1)
        return -inner if inner is not None and isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp):
        left = constant(node.left, names, depth + 1)
        right = constant(node.right, names, depth + 1)
        return None if left is None or right is None else _combined(node.op, left, right)
    return _converted(node, names, depth)


def _converted(node: ast.expr, names: Names, depth: int) -> float | None:
    """`int(...)` and `float(...)` of a number or of its digits."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    if node.func.id not in ("int", "float") or not node.args:
        return None
    given = node.args[0]
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return number_of(given.value)
    return constant(given, names, depth + 1)


def _combined(kind: ast.operator, left: float, right: float) -> float | None:
    try:
        if isinstance(kind, ast.Pow):
            small = abs(left) <= 1024 and 0 <= right <= 60
            value: float = left**right if small else _LARGEST * 2
        elif type(kind) in _WHOLE and isinstance(left, int) and isinstance(right, int):
            value = _WHOLE[type(kind)](left, min(right, 63))
        elif type(kind) in _OPERATORS:
            value = _OPERATORS[type(kind)](left, right)
        else:
            return None
    except (ArithmeticError, ValueError):
        return None
    return value if abs(value) <= _LARGEST else None


def number_of(text: str) -> float | None:
    """A number as C++ or Python writes it, suffixes and separators included."""
    digits = text.replace("'", "").replace("_", "").lower()
    try:
        if digits.startswith(("0x", "-0x")) and "p" not in digits:
            return int(digits.rstrip("ul"), 16)
        if digits.startswith("0b"):
            return int(digits.rstrip("ul"), 2)
        whole = digits.rstrip("ulz")
        if whole.isdigit():
            return int(whole)
        return float.fromhex(digits.rstrip("fl")) if "p" in digits else float(digits.rstrip("fl"))
    except (ValueError, OverflowError):
        return None


def folded(text: str) -> float | None:
    """The number that a C++ expression of numbers is; whole ones divide as whole numbers."""
    try:
        tree = expression_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            sides = [constant(node.left, {}), constant(node.right, {})]
            if all(isinstance(side, int) for side in sides):
                node.op = ast.FloorDiv()
    return constant(tree.body, {})
