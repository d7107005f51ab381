"""ReductionLowering: sums, extremes, moments and products as folds over dimensions.

The rule: an extreme of anything with a NaN is NaN, as in torch; the first of equals wins. A moment
is computed from differences to the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy

from assay.generators.templates.graph.expression import (
    ElementExpression,
    IndexValue,
    Masked,
    Reduced,
    computed_in,
)
from assay.generators.templates.graph.symbolic_size import floor_div, product
from assay.generators.templates.graph.tensor_value import (
    Index,
    Lowering,
    Product,
    Reduction,
    TensorValue,
    argument,
    broadcast_index,
    is_float,
    shape_of,
)
from assay.generators.templates.graph.traced_graph import GraphNode
from assay.generators.templates.graph.view_lowering import compared_index

CHUNK = 8192  # elements that one row of a fold of everything gets
Made = TensorValue | tuple[TensorValue | None, ...]
Element = Callable[[Index], ElementExpression]
IDENTITIES: dict[str, Any] = {"sum": 0, "prod": 1, "max": float("-inf"), "min": float("inf")}
_WHOLE = {"max": -(2**62), "min": 2**62}


def reduced(lowering: Lowering, node: GraphNode) -> Made | None:
    """The value of a fold; None for another kind of operation."""
    name = node.op.split(".")[1] if "." in node.op else node.op
    build = _BUILDERS.get(name)
    return build(lowering, node) if build else None


def identity_of(fold: str, dtype: str) -> float | int:
    """What a fold of nothing is."""
    if not is_float(dtype) and fold in _WHOLE:
        return _WHOLE[fold]
    return float(IDENTITIES[fold]) if is_float(dtype) else int(IDENTITIES[fold])


def folded(
    lowering: Lowering, how: tuple[str, str], shape: Index, dims: Sequence[int], element: Element
) -> Callable[[Index], ElementExpression]:
    """The elements of a fold (by its name, in a dtype), by the index of what is kept."""
    fold, dtype = how
    kept = tuple(size for place, size in enumerate(shape) if place not in dims)
    gone = tuple(shape[place] for place in sorted(dims))

    def body(keep: Index, red: Index) -> ElementExpression:
        keep_left, red_left = list(keep), list(red)
        index = [red_left.pop(0) if p in dims else keep_left.pop(0) for p in range(len(shape))]
        return lowering.expressions.cast(element(tuple(index)), dtype)

    made = Reduction(fold, dtype, kept, gone, body)
    if all(size == 1 for size in kept):
        made = _in_two_steps(lowering, made)
    return lambda index: lowering.expressions.made(Reduced, dtype, made, tuple(index))


def _in_two_steps(lowering: Lowering, one: Reduction) -> Reduction:
    """A fold of everything: first of rows, then of what the rows gave."""
    count = product(one.reduced)
    if count.is_Integer and count <= CHUNK:
        return one
    if len(one.reduced) == 1 and lowering.usual(count) <= CHUNK:
        return one
    ops = lowering.expressions
    if len(one.reduced) > 1:
        rows, rest = one.reduced[:1], one.reduced[1:]

        def first_body(keep: Index, red: Index) -> ElementExpression:
            return one.body(keep[: len(one.kept)], (keep[-1], *red))

    else:
        rows, rest = (floor_div(count + CHUNK - 1, sympy.Integer(CHUNK)),), (sympy.Integer(CHUNK),)

        def first_body(keep: Index, red: Index) -> ElementExpression:
            place = sympy.expand(keep[-1] * CHUNK + red[0])
            value = one.body(keep[: len(one.kept)], (place,))
            within = compared_index(lowering, "lt", place, count)
            nothing = ops.number(identity_of(one.fold, one.dtype), one.dtype)
            return ops.made(Masked, one.dtype, within, value, nothing)  # type: ignore[no-any-return]

    first = Reduction(one.fold, one.dtype, (*one.kept, *rows), rest, first_body)
    return Reduction(
        one.fold, one.dtype, one.kept, rows,
        lambda keep, red: ops.made(Reduced, one.dtype, first, (*keep, *red)),
    )  # fmt: skip


def _dims(node: GraphNode, rank: int, place: int = 1) -> tuple[int, ...]:
    given = argument(node, place, "dim")
    if given is None or given == []:
        return tuple(range(rank))
    given = given if isinstance(given, list) else [given]
    return tuple(sorted(one % rank for one in given)) if rank else ()


def _spread(
    found: Callable[[Index], ElementExpression], dims: Sequence[int], keepdim: bool
) -> Element:
    """A result in which folded dimensions stay with size one."""
    if not keepdim:
        return found
    return lambda index: found(tuple(one for p, one in enumerate(index) if p not in dims))


def _keepdim(node: GraphNode, value: TensorValue, dims: Sequence[int]) -> bool:
    return len(node.facts[0].shape if node.facts[0] else ()) == value.rank and bool(dims)


def _fold(fold: str) -> Callable[[Lowering, GraphNode], TensorValue]:
    def build(lowering: Lowering, node: GraphNode) -> TensorValue:
        value = lowering.tensor(node.args[0])
        dims = _dims(node, value.rank)
        dtype = computed_in(node.fact.dtype)
        if dtype == "bool":
            dtype = "int32"
        found = folded(lowering, (fold, dtype), value.shape, dims, _cast(lowering, value, node))
        spread = _spread(found, dims, _keepdim(node, value, dims))
        return TensorValue(
            shape_of(node.fact),
            node.fact.dtype,
            lambda index: lowering.expressions.cast(spread(index), node.fact.dtype),
        )

    return build


def _cast(lowering: Lowering, value: TensorValue, node: GraphNode) -> Element:
    """Any and all ask whether an element is not zero."""
    if node.op.split(".")[1] in ("any", "all"):
        return lambda index: lowering.expressions.cast(value.element(index), "bool")
    return value.element


def _mean_of(lowering: Lowering, value: TensorValue, dims: Sequence[int], dtype: str) -> Element:
    ops = lowering.expressions
    found = folded(lowering, ("sum", dtype), value.shape, dims, value.element)
    count = ops.cast(
        ops.made(IndexValue, "int64", product([value.shape[p] for p in dims]), ()), dtype
    )
    return lambda index: ops.operation("div", dtype, found(index), count)


def _mean(lowering: Lowering, node: GraphNode) -> TensorValue:
    value = lowering.tensor(node.args[0])
    dims, dtype = _dims(node, value.rank), computed_in(node.fact.dtype)
    mean = _mean_of(lowering, value, dims, dtype)
    spread = _spread(mean, dims, _keepdim(node, value, dims))
    return TensorValue(shape_of(node.fact), node.fact.dtype, spread)


def _moments(lowering: Lowering, node: GraphNode) -> Made:
    """Var and var_mean."""
    value, ops = lowering.tensor(node.args[0]), lowering.expressions
    dims = _dims(node, value.rank)
    (fact, *_) = node.facts
    if fact is None:
        raise ValueError("a variance is no tensor")
    dtype = computed_in(fact.dtype)
    correction = node.kwargs.get("correction", 1)
    if isinstance(argument(node, 2, "unbiased"), bool):
        correction = int(argument(node, 2, "unbiased"))
    mean = _mean_of(lowering, value, dims, dtype)

    def square(index: Index) -> ElementExpression:
        kept = tuple(one for place, one in enumerate(index) if place not in dims)
        x = ops.cast(value.element(index), dtype)
        gap = ops.operation("sub", dtype, x, mean(kept))
        return ops.operation("mul", dtype, gap, gap)

    total = folded(lowering, ("sum", dtype), value.shape, dims, square)
    count = product([value.shape[p] for p in dims])
    less = 1 if correction is None else int(correction)
    free = ops.cast(ops.made(IndexValue, "int64", sympy.expand(count - less), ()), dtype)
    free = ops.operation("maximum", dtype, free, ops.number(0.0, dtype))
    keep = _keepdim(node, value, dims)
    variance = _spread(lambda index: ops.operation("div", dtype, total(index), free), dims, keep)
    made = TensorValue(shape_of(fact), fact.dtype, variance)
    if len(node.facts) == 1:
        return made
    return made, TensorValue(shape_of(fact), fact.dtype, _spread(mean, dims, keep))


def _place_of(fold: str) -> Callable[[Lowering, GraphNode], TensorValue]:
    """Argmax and argmin: the first place of the extreme, or of the first NaN."""

    def build(lowering: Lowering, node: GraphNode) -> TensorValue:
        value = lowering.tensor(node.args[0])
        if argument(node, 1, "dim") is None:
            value = lowering.reshaped(value, (product(value.shape),))
        dims = _dims(node, value.rank)
        found = _first_place(lowering, value, dims, fold)
        spread = _spread(found, dims, _keepdim(node, lowering.tensor(node.args[0]), dims))
        return TensorValue(shape_of(node.fact), "int64", spread)

    return build


def _first_place(lowering: Lowering, value: TensorValue, dims: Sequence[int], fold: str) -> Element:
    ops, dtype = lowering.expressions, computed_in(value.dtype)
    extreme = folded(lowering, (fold, dtype), value.shape, dims, value.element)

    def place(index: Index) -> ElementExpression:
        kept = tuple(one for p, one in enumerate(index) if p not in dims)
        x = value.element(index)
        hit = ops.operation("eq", "bool", x, extreme(kept))
        if is_float(dtype):
            hit = ops.operation("or", "bool", hit, ops.operation("isnan", "bool", x))
        number = ops.made(IndexValue, "int64", index[dims[0]], ())
        return ops.operation("where", "int64", hit, number, ops.number(2**31 - 1, "int64"))

    return folded(lowering, ("min", "int64"), value.shape, dims, place)


def _extreme_and_place(fold: str) -> Callable[[Lowering, GraphNode], Made]:
    """max.dim and min.dim, or max and min of everything."""

    def build(lowering: Lowering, node: GraphNode) -> Made:
        if node.op.endswith(".default"):
            return _fold(fold)(lowering, node)
        value = lowering.tensor(node.args[0])
        dims = _dims(node, value.rank)
        keep = _keepdim(node, value, dims)
        fact = node.facts[0]
        if fact is None:
            raise ValueError("an extreme is no tensor")
        dtype = computed_in(fact.dtype)
        extreme = folded(lowering, (fold, dtype), value.shape, dims, value.element)
        place = _first_place(lowering, value, dims, fold)
        return (
            TensorValue(shape_of(fact), fact.dtype, _spread(extreme, dims, keep)),
            TensorValue(shape_of(fact), "int64", _spread(place, dims, keep)),
        )

    return build


def _product(lowering: Lowering, node: GraphNode) -> TensorValue:
    """mm, bmm, mv and dot, with what addmm, baddbmm and addmv add."""
    name, given, ops = node.op.split(".")[1], list(node.args), lowering.expressions
    added = lowering.tensor(given.pop(0)) if name.startswith(("add", "baddbmm")) else None
    a, b = lowering.tensor(given[0]), lowering.tensor(given[1])
    dtype = computed_in(a.dtype)
    if not is_float(dtype):
        raise ValueError("products of whole numbers are not covered")
    found = product_of(lowering, a, b, dtype)
    shape = shape_of(node.fact)
    alpha, beta = node.kwargs.get("alpha", 1), node.kwargs.get("beta", 1)

    def element(index: Index) -> ElementExpression:
        value = found(index)
        if alpha != 1:
            value = ops.operation("mul", dtype, value, lowering.scalar(alpha, dtype))
        if added is None or beta == 0:
            return value
        more = ops.cast(added.element(broadcast_index(index, added)), dtype)
        if beta != 1:
            more = ops.operation("mul", dtype, more, lowering.scalar(beta, dtype))
        return ops.operation("add", dtype, value, more)

    return TensorValue(shape, node.fact.dtype, element)


def product_of(lowering: Lowering, a: TensorValue, b: TensorValue, dtype: str) -> Element:
    """A times B over the last dimension of A and the last but one of B."""
    ops = lowering.expressions
    if b.rank == 1 or a.rank == 1:
        dims = (a.rank - 1,)

        def term(index: Index) -> ElementExpression:
            other = b.element((index[-1],))
            return ops.operation("mul", dtype, a.element(index), ops.cast(other, dtype))

        return folded(lowering, ("sum", dtype), a.shape, dims, term)

    def left(index: Index) -> ElementExpression:
        return ops.cast(a.element(index), dtype)

    def right(index: Index) -> ElementExpression:
        return ops.cast(b.element(index), dtype)

    def body(keep: Index, red: Index) -> ElementExpression:
        first = left((*keep[:-1], *red))
        return ops.operation("mul", dtype, first, right((*keep[:-2], *red, keep[-1])))

    kept = (*a.shape[:-1], b.shape[-1])
    made = Product("sum", dtype, kept, (a.shape[-1],), body, a, b)
    return lambda index: ops.made(Reduced, dtype, made, tuple(index))


_BUILDERS: dict[str, Callable[[Lowering, GraphNode], Made]] = {
    "sum": _fold("sum"), "amax": _fold("max"), "amin": _fold("min"), "prod": _fold("prod"),
    "any": _fold("max"), "all": _fold("min"), "mean": _mean, "var": _moments,
    "var_mean": _moments, "argmax": _place_of("max"), "argmin": _place_of("min"),
    "max": _extreme_and_place("max"), "min": _extreme_and_place("min"),
    "mm": _product, "bmm": _product, "addmm": _product, "baddbmm": _product, "mv": _product,
    "dot": _product, "addmv": _product,
}  # fmt: skip
