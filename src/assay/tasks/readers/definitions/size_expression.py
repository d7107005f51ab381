"""SizeExpression: arithmetic and comparisons over named sizes, evaluated without running code.

The rule: what is not in the grammar is a UsageError; the text is never given to `eval`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from assay.errors import UsageError
from assay.python_tree import expression_tree

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_CALLS: dict[str, Callable[..., Any]] = {"min": min, "max": max, "abs": abs}
_LARGEST_EXPONENT = 64


def parsed(text: str) -> ast.expr:
    """The expression, whether or not its names are known."""
    try:
        return expression_tree(text.strip()).body
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"'{text}' is no expression") from error


def names_in(text: str) -> frozenset[str]:
    """Every name that the expression uses, functions of the grammar left out."""
    found = {node.id for node in ast.walk(parsed(text)) if isinstance(node, ast.Name)}
    return frozenset(found - set(_CALLS))


def value_of(text: str, names: Mapping[str, Any]) -> Any:
    """What the expression is for these names."""
    try:
        return _value(parsed(text), names)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise UsageError(f"'{text}' cannot be evaluated: {error}") from error


def size_of(text: str, names: Mapping[str, Any]) -> int:
    """The expression as a size; a float that is whole counts as one."""
    value = value_of(text, names)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise UsageError(f"'{text}' is {value}, which is no whole number")
    return int(value)


def renamed(text: str, names: Mapping[str, str]) -> str:
    """The expression with other names."""
    tree = parsed(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    return ast.unparse(tree)


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=bool() | int() | float() as value):
            return value
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            one, other = _value(left, names), _value(right, names)
            if isinstance(op, ast.Pow) and abs(other) > _LARGEST_EXPONENT:
                raise ValueError(f"the exponent {other} is too large")
            return _BINARY[type(op)](one, other)
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
            return _UNARY[type(op)](_value(operand, names))
        case ast.Compare(left=left, ops=ops, comparators=others):
            values = [_value(part, names) for part in (left, *others)]
            pairs = zip(ops, values, values[1:], strict=False)
            return all(_compared(op, one, other) for op, one, other in pairs)
        case ast.BoolOp(op=op, values=parts):
            found = [bool(_value(part, names)) for part in parts]
            return all(found) if isinstance(op, ast.And) else any(found)
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if name in _CALLS:
            return _CALLS[name](*(_value(part, names) for part in parts))
    raise UsageError(f"'{ast.unparse(node)}' is not in the grammar of sizes, or names no axis")


def _compared(op: ast.cmpop, one: Any, other: Any) -> bool:
    if type(op) not in _COMPARE:
        raise UsageError(f"{type(op).__name__} is not in the grammar of sizes")
    return _COMPARE[type(op)](one, other)
