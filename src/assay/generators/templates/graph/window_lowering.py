"""WindowLowering: convolutions and pools as folds over a window.

The rule: what lies outside of the image is never loaded: it counts as zero in a sum and as nothing
in an extreme. Rounding up the number of windows is not covered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

from assay.generators.templates.graph.expression import ElementExpression, Reduced, computed_in
from assay.generators.templates.graph.reduction_lowering import identity_of
from assay.generators.templates.graph.symbolic_size import Size, floor_div
from assay.generators.templates.graph.tensor_value import (
    Index,
    Lowering,
    Reduction,
    TensorValue,
    argument,
    is_float,
    shape_of,
)
from assay.generators.templates.graph.traced_graph import GraphNode
from assay.generators.templates.graph.view_lowering import inside

Made = TensorValue | tuple[TensorValue | None, ...]


def windowed(lowering: Lowering, node: GraphNode) -> Made | None:
    """The value of an operation on windows; None for another kind of operation."""
    name = node.op.split(".")[1] if "." in node.op else node.op
    build = _BUILDERS.get(name)
    return build(lowering, node) if build else None


def _convolution(lowering: Lowering, node: GraphNode) -> TensorValue:
    """A convolution as a fold over its window and the channels of a group."""
    x, weight = lowering.tensor(node.args[0]), lowering.tensor(node.args[1])
    bias = node.args[2] if len(node.args) > 2 else None
    stride, padding, dilation, transposed = node.args[3:7]
    groups = lowering.size(node.args[8])
    if transposed:
        raise ValueError("transposed convolutions are not covered")
    ops, dtype, spatial = lowering.expressions, computed_in(x.dtype), x.rank - 2
    per_group = floor_div(weight.shape[0], groups)

    def term(keep: Index, red: Index) -> ElementExpression:
        group = sympy.Integer(0) if groups == 1 else floor_div(keep[1], per_group, lowering.ranges)
        channel = sympy.expand(group * weight.shape[1] + red[0])
        places = [
            sympy.expand(
                keep[2 + p] * _step(lowering, stride, p)
                + red[1 + p] * _step(lowering, dilation, p)
                - _step(lowering, padding, p)
            )
            for p in range(spatial)
        ]
        index = (keep[0], channel, *places)
        value, zero = ops.cast(x.element(index), dtype), ops.number(0.0, dtype)
        padded = [2 + p for p in range(spatial) if _step(lowering, padding, p) != 0]
        value = inside(lowering, [(index[p], x.shape[p]) for p in padded], value, zero)
        return ops.operation("mul", dtype, value, ops.cast(weight.element((keep[1], *red)), dtype))

    shape = shape_of(node.fact)
    made = Reduction("sum", dtype, shape, weight.shape[1:], term)

    def element(index: Index) -> ElementExpression:
        value = ops.made(Reduced, dtype, made, tuple(index))
        if bias is None:
            return value  # type: ignore[no-any-return]
        more = lowering.tensor(bias).element((index[1],))
        return ops.operation("add", dtype, value, ops.cast(more, dtype))

    return TensorValue(shape, node.fact.dtype, element)


def _step(lowering: Lowering, values: Any, place: int) -> Size:
    """A number for each dimension of an image, or one for all."""
    if not isinstance(values, list):
        return lowering.size(values)
    return lowering.size(values[place if len(values) > 1 else 0])


def _pooled(
    lowering: Lowering, node: GraphNode, fold: str
) -> tuple[Callable[[Index], ElementExpression], list[Size]]:
    """A fold over windows of the last dimensions, and the sizes of a window."""
    x = lowering.tensor(node.args[0])
    dtype = computed_in(x.dtype)
    if not is_float(dtype):
        raise ValueError("pools of whole numbers are not covered")
    given = node.args[1]
    spatial = len(given) if isinstance(given, list) and len(given) > 1 else 2
    stride, padding = argument(node, 2, "stride") or given, argument(node, 3, "padding", 0)
    window = [_step(lowering, given, p) for p in range(spatial)]
    first, ops = x.rank - spatial, lowering.expressions
    nothing = ops.number(identity_of(fold, dtype), dtype)

    def term(keep: Index, red: Index) -> ElementExpression:
        places = tuple(
            sympy.expand(
                keep[first + p] * _step(lowering, stride, p) + red[p] - _step(lowering, padding, p)
            )
            for p in range(spatial)
        )
        value = ops.cast(x.element((*keep[:first], *places)), dtype)
        bounds = [
            (places[p], x.shape[first + p])
            for p in range(spatial)
            if _step(lowering, padding, p) != 0
        ]
        return inside(lowering, bounds, value, nothing)

    fact = node.facts[0]
    if fact is None:
        raise ValueError("a pool is no tensor")
    made = Reduction(fold, dtype, shape_of(fact), tuple(window), term)
    return lambda index: ops.made(Reduced, dtype, made, tuple(index)), window


def _average(lowering: Lowering, node: GraphNode) -> TensorValue:
    ceil, counted = argument(node, 4, "ceil_mode", False), argument(node, 5, "", True)
    padded = argument(node, 3, "padding", 0) not in (0, [0], [0, 0], [])
    if ceil or (padded and not counted) or argument(node, 6, "divisor_override"):
        raise ValueError("means over windows of different sizes are not covered")
    total, window = _pooled(lowering, node, "sum")
    dtype, ops = computed_in(node.fact.dtype), lowering.expressions
    count = sympy.prod(window)
    if not count.is_Integer:
        raise ValueError("a window of open size is not covered")
    share = ops.number(float(int(count)), dtype)
    return TensorValue(
        shape_of(node.fact),
        node.fact.dtype,
        lambda index: ops.operation("div", dtype, total(index), share),
    )


def _largest(lowering: Lowering, node: GraphNode) -> Made:
    dilation = argument(node, 4, "dilation", 1)
    if argument(node, 5, "ceil_mode", False) or dilation not in (1, [1], [1, 1]):
        raise ValueError("pools with gaps, or rounded up, are not covered")
    found, _window = _pooled(lowering, node, "max")
    fact = node.facts[0]
    if fact is None:
        raise ValueError("a pool is no tensor")
    return TensorValue(shape_of(fact), fact.dtype, found), None


_BUILDERS: dict[str, Callable[[Lowering, GraphNode], Made]] = {
    "convolution": _convolution,
    "avg_pool2d": _average,
    "max_pool2d_with_indices": _largest,
    "_low_memory_max_pool_with_offsets": _largest,
}
