"""PointwiseLowering: operations of torch on single elements as expressions.

The rule: one table says which operations there are. Narrow floats are computed in float32, and
rounded where they are stored.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from assay.generators.templates.graph.expression import ElementExpression, computed_in
from assay.generators.templates.graph.tensor_value import (
    Index,
    Lowering,
    TensorValue,
    argument,
    broadcast_index,
    is_float,
    promoted,
    shape_of,
)
from assay.generators.templates.graph.traced_graph import GraphNode

UNARY = frozenset(
    "exp exp2 expm1 log log1p log2 log10 sqrt rsqrt sigmoid tanh erf erfc sin cos tan asin acos"
    " atan sinh cosh floor ceil trunc round neg abs sign relu lgamma".split()
)
BINARY = {
    "add": "add", "sub": "sub", "mul": "mul", "maximum": "maximum", "minimum": "minimum",
    "bitwise_and": "bit_and", "bitwise_or": "bit_or", "bitwise_xor": "bit_xor",
    "atan2": "atan2", "fmod": "fmod", "remainder": "remainder",
}  # fmt: skip
COMPARED = {name: name for name in ("eq", "ne", "lt", "le", "gt", "ge")}
LOGICAL = {"logical_and": "and", "logical_or": "or", "logical_xor": "xor"}
ASKED = frozenset({"isnan", "isinf", "signbit"})


def pointwise(lowering: Lowering, node: GraphNode) -> TensorValue | None:
    """The value of an operation on single elements; None for another kind of operation."""
    name = node.op.split(".")[1] if "." in node.op else node.op
    build = _builder(name, node)
    if build is None:
        return None
    tensors = [one for one in _flat(node.args) if lowering.is_tensor(one)]
    found = [lowering.tensor(one) for one in tensors]

    def element(index: Index) -> ElementExpression:
        def read(one: Any, dtype: str) -> ElementExpression:
            if not lowering.is_tensor(one):
                return lowering.scalar(one, dtype)
            value = lowering.tensor(one)
            read_at = value.element(broadcast_index(index, value))
            return lowering.expressions.cast(read_at, dtype)

        return build(lowering, node, read, [one.dtype for one in found])

    return TensorValue(shape_of(node.fact), node.fact.dtype, element)


Read = Callable[[Any, str], ElementExpression]
Build = Callable[[Lowering, GraphNode, Read, list[str]], ElementExpression]


def _builder(name: str, node: GraphNode) -> Build | None:
    if name in UNARY:
        return _unary
    if name in BINARY:
        return _binary
    if name in COMPARED:
        return _compared
    if name in LOGICAL:
        return _logical
    if name in ASKED:
        return _asked
    return _OTHERS.get(name)


def _name(node: GraphNode) -> str:
    return node.op.split(".")[1]


def _out(node: GraphNode) -> str:
    return computed_in(node.fact.dtype)


def _unary(low: Lowering, node: GraphNode, read: Read, _: list[str]) -> ElementExpression:
    out, name = _out(node), _name(node)
    x = read(node.args[0], out)
    if not is_float(out) and name not in ("neg", "abs", "relu", "sign"):
        return x  # rounding a whole number
    return low.expressions.operation(name, out, x)


def _binary(low: Lowering, node: GraphNode, read: Read, _: list[str]) -> ElementExpression:
    out, name = _out(node), BINARY[_name(node)]
    a, b = read(node.args[0], out), read(node.args[1], out)
    alpha = node.kwargs.get("alpha", 1)
    if alpha != 1:
        b = low.expressions.operation("mul", out, b, low.scalar(alpha, out))
    if out == "bool":
        name = {"add": "or", "mul": "and", "bit_and": "and", "bit_or": "or", "bit_xor": "xor"}.get(
            name, name
        )
    if name in ("fmod", "remainder") and not is_float(out):
        raise ValueError("remainders of whole numbers are not covered")
    return low.expressions.operation(name, out, a, b)


def _compared(low: Lowering, node: GraphNode, read: Read, dtypes: list[str]) -> ElementExpression:
    common = promoted(dtypes)
    if isinstance(node.args[1], float | dict) and not low.is_tensor(node.args[1]):
        common = promoted([common, "float32"]) if isinstance(node.args[1], float) else common
    a, b = read(node.args[0], common), read(node.args[1], common)
    return low.expressions.operation(_name(node), "bool", a, b)


def _logical(low: Lowering, node: GraphNode, read: Read, _: list[str]) -> ElementExpression:
    a, b = read(node.args[0], "bool"), read(node.args[1], "bool")
    return low.expressions.operation(LOGICAL[_name(node)], "bool", a, b)


def _asked(low: Lowering, node: GraphNode, read: Read, dtypes: list[str]) -> ElementExpression:
    if not is_float(dtypes[0]):
        raise ValueError(f"{_name(node)} of whole numbers is not covered")
    x = read(node.args[0], computed_in(dtypes[0]))
    return low.expressions.operation(_name(node), "bool", x)


def _not(low: Lowering, node: GraphNode, read: Read, dtypes: list[str]) -> ElementExpression:
    if _name(node) == "bitwise_not" and dtypes[0] != "bool":
        return low.expressions.operation("bit_not", _out(node), read(node.args[0], _out(node)))
    return low.expressions.operation("not", "bool", read(node.args[0], "bool"))


def _divided(low: Lowering, node: GraphNode, read: Read, _: list[str]) -> ElementExpression:
    out, mode = _out(node), node.kwargs.get("rounding_mode")
    if not is_float(out):
        raise ValueError("division of whole numbers is not covered")
    ratio = low.expressions.operation("div", out, read(node.args[0], out), read(node.args[1], out))
    if mode is None:
        return ratio
    return low.expressions.operation(mode, out, ratio)


def _power(low: Lowering, node: GraphNode, read: Read, _: list[str]) -> ElementExpression:
    out, ops = _out(node), low.expressions
    x, exponent = read(node.args[0], out), node.args[1]
    if isinstance(exponent, int | float) and exponent in (1, 2, 3, 4):
        found = x
        for _step in range(int(exponent) - 1):
            found = ops.operation("mul", out, found, x)
        return found
    if not is_float(out):
        raise ValueError("powers of whole numbers are not covered")
    if exponent == 0.5:
        return ops.operation("sqrt", out, x)
    if exponent in (-0.5, -1):
        root = x if exponent == -1 else ops.operation("sqrt", out, x)
        return ops.operation("div", out, ops.number(1.0, out), root)
    return ops.operation("pow", out, x, read(exponent, out))


def _where(low: Lowering, node: GraphNode, read: Read, _: list[str]) -> ElementExpression:
    out = _out(node)
    cond = read(node.args[0], "bool")
    return low.expressions.operation(
        "where", out, cond, read(node.args[1], out), read(node.args[2], out)
    )


def _clamp(low: Lowering, node: GraphNode, read: Read, _: list[str]) -> ElementExpression:
    out, name = _out(node), _name(node)
    found = read(node.args[0], out)
    low_end = argument(node, 1, "min") if name != "clamp_max" else None
    high = argument(node, 2, "max") if name == "clamp" else None
    if name == "clamp_max":
        high = argument(node, 1, "max")
    if low_end is not None:
        found = low.expressions.operation("maximum", out, found, read(low_end, out))
    if high is not None:
        found = low.expressions.operation("minimum", out, found, read(high, out))
    return found


def _reciprocal(low: Lowering, node: GraphNode, read: Read, _: list[str]) -> ElementExpression:
    out = _out(node)
    return low.expressions.operation(
        "div", out, low.expressions.number(1.0, out), read(node.args[0], out)
    )


def _same(low: Lowering, node: GraphNode, read: Read, dtypes: list[str]) -> ElementExpression:
    """Copies and casts; from a float to a narrow whole number by way of the float's own dtype."""
    return read(node.args[0], node.fact.dtype)


def _filled(low: Lowering, node: GraphNode, read: Read, _: list[str]) -> ElementExpression:
    place = {"scalar_tensor": 0}.get(_name(node), 1)
    if _name(node) in ("zeros", "zeros_like", "new_zeros"):
        return low.scalar(0, node.fact.dtype)
    if _name(node) in ("ones", "ones_like", "new_ones"):
        return low.scalar(1, node.fact.dtype)
    if _name(node) == "new_full":
        place = 2
    return low.scalar(argument(node, place, "fill_value"), node.fact.dtype)


def _added_product(low: Lowering, node: GraphNode, read: Read, _: list[str]) -> ElementExpression:
    """addcmul, addcdiv and fma: a sum with a product or a ratio."""
    out, ops, name = _out(node), low.expressions, _name(node)
    if name == "fma":
        first, second, third = (read(one, out) for one in node.args[:3])
        return ops.operation("add", out, ops.operation("mul", out, first, second), third)
    base, first, second = (read(one, out) for one in node.args[:3])
    inner = ops.operation("mul" if name == "addcmul" else "div", out, first, second)
    value = node.kwargs.get("value", 1)
    if value != 1:
        inner = ops.operation("mul", out, inner, low.scalar(value, out))
    return ops.operation("add", out, base, inner)


def _gelu(low: Lowering, node: GraphNode, read: Read, _: list[str]) -> ElementExpression:
    if node.kwargs.get("approximate", "none") != "none":
        raise ValueError("GELU by tanh arrives decomposed")
    out, ops = _out(node), low.expressions
    x = read(node.args[0], out)
    inner = ops.operation("mul", out, x, ops.number(math.sqrt(0.5), out))
    whole = ops.operation("add", out, ops.operation("erf", out, inner), ops.number(1.0, out))
    return ops.operation("mul", out, ops.operation("mul", out, x, ops.number(0.5, out)), whole)


_OTHERS: dict[str, Build] = {
    "div": _divided, "true_divide": _divided, "pow": _power, "where": _where, "clamp": _clamp,
    "clamp_min": _clamp, "clamp_max": _clamp, "reciprocal": _reciprocal, "logical_not": _not,
    "bitwise_not": _not, "clone": _same, "_to_copy": _same, "convert_element_type": _same,
    "alias": _same, "detach": _same, "full": _filled, "full_like": _filled, "zeros": _filled,
    "ones": _filled, "zeros_like": _filled, "ones_like": _filled, "scalar_tensor": _filled,
    "new_zeros": _filled, "new_ones": _filled, "new_full": _filled, "gelu": _gelu,
    "lift_fresh_copy": _same,
    "addcmul": _added_product,
    "addcdiv": _added_product,
    "fma": _added_product,
}  # fmt: skip


def _flat(arguments: Any) -> list[Any]:
    found: list[Any] = []
    for one in arguments:
        found.extend(_flat(one) if isinstance(one, list) else [one])
    return found
