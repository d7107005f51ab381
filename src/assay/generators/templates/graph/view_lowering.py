"""ViewLowering: operations that only move elements: views, joins, slices, picks by number.

The rule: an element of the result is an element of an input at another index, or a constant
outside of it. What is outside is never loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy

from assay.generators.templates.graph.expression import (
    ElementExpression,
    IndexValue,
    Masked,
    computed_in,
)
from assay.generators.templates.graph.symbolic_size import Size, remainder
from assay.generators.templates.graph.tensor_value import (
    Index,
    Lowering,
    TensorValue,
    argument,
    broadcast_index,
    shape_of,
)
from assay.generators.templates.graph.traced_graph import GraphNode

Made = TensorValue | tuple[TensorValue, ...]


def moved(lowering: Lowering, node: GraphNode) -> Made | None:
    """The value of an operation that moves elements; None for another kind of operation."""
    name = node.op.split(".")[1] if "." in node.op else node.op
    build = _BUILDERS.get(name)
    return build(lowering, node) if build else None


def _source(lowering: Lowering, node: GraphNode) -> TensorValue:
    return lowering.tensor(node.args[0])


def _made(node: GraphNode, element: Callable[[Index], ElementExpression]) -> TensorValue:
    return TensorValue(shape_of(node.fact), node.fact.dtype, element)


def _view(lowering: Lowering, node: GraphNode) -> TensorValue:
    return lowering.reshaped(_source(lowering, node), shape_of(node.fact))


def _expand(lowering: Lowering, node: GraphNode) -> TensorValue:
    value = _source(lowering, node)
    return _made(node, lambda index: value.element(broadcast_index(index, value)))


def _permute(lowering: Lowering, node: GraphNode) -> TensorValue:
    value, order = _source(lowering, node), [one % len(node.args[1]) for one in node.args[1]]

    def element(index: Index) -> ElementExpression:
        placed = dict(zip(order, index, strict=True))
        return value.element(tuple(placed[one] for one in range(len(order))))

    return _made(node, element)


def _transpose(lowering: Lowering, node: GraphNode) -> TensorValue:
    value = _source(lowering, node)
    if node.op.startswith("aten.t."):
        first, second = (0, 1) if value.rank == 2 else (0, 0)
    else:
        first, second = node.args[1] % value.rank, node.args[2] % value.rank

    def element(index: Index) -> ElementExpression:
        swapped = list(index)
        swapped[first], swapped[second] = swapped[second], swapped[first]
        return value.element(tuple(swapped))

    return _made(node, element)


def _slice(lowering: Lowering, node: GraphNode) -> TensorValue:
    value = _source(lowering, node)
    dim = argument(node, 1, "dim", 0) % value.rank
    start, step = argument(node, 2, "start", 0), argument(node, 4, "step", 1)
    first = lowering.size(0 if start is None else start)
    if first.is_negative:
        first = first + value.shape[dim]
    if first.is_nonnegative is None:
        raise ValueError("a slice begins at a place that is not known to be inside")

    def element(index: Index) -> ElementExpression:
        inner = list(index)
        inner[dim] = sympy.expand(inner[dim] * lowering.size(step) + first)
        return value.element(tuple(inner))

    return _made(node, element)


def _select(lowering: Lowering, node: GraphNode) -> TensorValue:
    value = _source(lowering, node)
    dim, place = node.args[1] % value.rank, lowering.size(node.args[2])
    place = place + value.shape[dim] if place.is_negative else place
    return _made(node, lambda index: value.element((*index[:dim], place, *index[dim:])))


def _concatenate(lowering: Lowering, node: GraphNode) -> TensorValue:
    values = [lowering.tensor(one) for one in node.args[0]]
    values = [one for one in values if one.shape != (0,)]
    dim = argument(node, 1, "dim", 0) % values[0].rank
    dtype, ops = node.fact.dtype, lowering.expressions

    def element(index: Index) -> ElementExpression:
        start: Size = sympy.Integer(0)
        parts = []
        for one in values:
            inner = (*index[:dim], index[dim] - start, *index[dim + 1 :])
            parts.append((start, ops.cast(one.element(inner), dtype)))
            start = sympy.expand(start + one.shape[dim])
        found = ops.made(Masked, computed_in(dtype), _at_least(lowering, index[dim], parts[-1][0]),
                         parts[-1][1], lowering.scalar(0, dtype))  # fmt: skip
        for place in reversed(range(len(parts) - 1)):
            below = ops.operation(
                "not", "bool", _at_least(lowering, index[dim], parts[place + 1][0])
            )
            inside = below
            if place:
                lower = _at_least(lowering, index[dim], parts[place][0])
                inside = ops.operation("and", "bool", below, lower)
            found = ops.made(Masked, computed_in(dtype), inside, parts[place][1], found)
        return found  # type: ignore[no-any-return]

    return _made(node, element)


def _at_least(lowering: Lowering, index: Size, least: Size) -> ElementExpression:
    return compared_index(lowering, "ge", index, least)


def compared_index(lowering: Lowering, name: str, index: Size, with_: Size) -> ElementExpression:
    """Whether an index is at least, or below, a size."""
    ops = lowering.expressions
    a, b = (ops.made(IndexValue, "int64", sympy.expand(one), ()) for one in (index, with_))
    return ops.operation(name, "bool", a, b)


def _pad(lowering: Lowering, node: GraphNode) -> TensorValue:
    value = _source(lowering, node)
    widths = [lowering.size(one) for one in node.args[1]]
    fill = lowering.scalar(argument(node, 2, "value", 0), node.fact.dtype)
    before = [sympy.Integer(0)] * value.rank
    for place in range(len(widths) // 2):
        before[value.rank - 1 - place] = widths[2 * place]
    padded = {value.rank - 1 - place for place in range(len(widths) // 2)}

    def element(index: Index) -> ElementExpression:
        inner = tuple(sympy.expand(one - by) for one, by in zip(index, before, strict=True))
        found = value.element(inner)
        bounds = [(inner[dim], value.shape[dim]) for dim in sorted(padded)]
        return inside(lowering, bounds, found, fill)

    return _made(node, element)


def inside(
    lowering: Lowering,
    bounds: Sequence[tuple[Size, Size]],
    value: ElementExpression,
    other: ElementExpression,
) -> ElementExpression:
    """A value where indices lie within their sizes, else another."""
    ops = lowering.expressions
    condition: ElementExpression | None = None
    for index, size in bounds:
        for name, bound in (("ge", sympy.Integer(0)), ("lt", size)):
            one = compared_index(lowering, name, index, bound)
            condition = one if condition is None else ops.operation("and", "bool", condition, one)
    if condition is None:
        return value
    return ops.made(Masked, value.dtype, condition, value, other)  # type: ignore[no-any-return]


def _pieces(lowering: Lowering, node: GraphNode) -> tuple[TensorValue, ...]:
    value = _source(lowering, node)
    unbound = ".unbind." in node.op
    dim = argument(node, 1 if unbound else 2, "dim", 0) % value.rank
    found: list[TensorValue] = []
    start: Size = sympy.Integer(0)
    for fact in node.facts:
        if fact is None:
            raise ValueError("a piece is no tensor")

        def element(index: Index, first: Size = start) -> ElementExpression:
            if unbound:
                return value.element((*index[:dim], first, *index[dim:]))
            return value.element((*index[:dim], index[dim] + first, *index[dim + 1 :]))

        found.append(TensorValue(shape_of(fact), fact.dtype, element))
        start = sympy.expand(start + (1 if unbound else shape_of(fact)[dim]))
    return tuple(found)


def _item(lowering: Lowering, node: GraphNode) -> TensorValue:
    held = lowering.values.get(node.args[0]["node"])
    if not isinstance(held, tuple):
        raise ValueError("an item is taken of one tensor")
    found = held[node.args[1]]
    if found is None:
        raise ValueError("a result is used that is not covered")
    return found  # type: ignore[no-any-return]


def picked(
    lowering: Lowering, number: ElementExpression, size: Size | None
) -> tuple[Any, ElementExpression]:
    """An index that is read from a tensor, as a symbol; from the end where it is negative."""
    ops = lowering.expressions
    number = ops.cast(number, "int64")
    if size is not None:
        whole = ops.made(IndexValue, "int64", size, ())
        below = ops.operation("lt", "bool", number, ops.number(0, "int64"))
        from_end = ops.operation("add", "int64", number, whole)
        number = ops.operation("where", "int64", below, from_end, number)
    return ops.fresh("g"), number


def with_picked(
    lowering: Lowering,
    value: TensorValue,
    index: Index,
    taken: Sequence[tuple[Any, ElementExpression]],
) -> ElementExpression:
    """An element at computed indices: the value must be memory, or computed from it."""
    from assay.generators.templates.graph.expression import ElementLoad

    known = dict(taken)

    def change(one: ElementExpression) -> ElementExpression | None:
        if isinstance(one, ElementLoad | IndexValue):
            place = one.offset if isinstance(one, ElementLoad) else one.index
            used = tuple((s, known[s]) for s in place.free_symbols if s in known)
            used = (*used, *one.computed)
            if isinstance(one, ElementLoad):
                return lowering.expressions.made(ElementLoad, one.dtype, one.buffer, place, used)  # type: ignore[no-any-return]
            return lowering.expressions.made(IndexValue, one.dtype, place, used)  # type: ignore[no-any-return]
        return None

    found = value.element(index)
    for one in [found]:
        if _reads_reduction(one, set(known)):
            raise ValueError("a reduced value is picked by number")
    return lowering.expressions.mapped(found, change)


def _reads_reduction(root: ElementExpression, symbols: set[Any]) -> bool:
    from assay.generators.templates.graph.expression import Reduced, every

    return any(isinstance(one, Reduced) and one.own_symbols() & symbols for one in every([root]))


def _gather(lowering: Lowering, node: GraphNode) -> TensorValue:
    value, dim = _source(lowering, node), node.args[1]
    numbers = lowering.tensor(node.args[2])
    dim = dim % max(value.rank, 1)

    def element(index: Index) -> ElementExpression:
        taken = picked(lowering, numbers.element(index), None)
        inner = (*index[:dim], taken[0], *index[dim + 1 :])
        return with_picked(lowering, value, inner, [taken])

    return _made(node, element)


def _index(lowering: Lowering, node: GraphNode) -> TensorValue:
    value, given = _source(lowering, node), list(node.args[1])
    tensors = {place: lowering.tensor(one) for place, one in enumerate(given) if one is not None}
    if any(one.dtype in ("bool", "uint8") for one in tensors.values()):
        raise ValueError("picks by a mask are not covered")
    places = sorted(tensors)
    if places != list(range(places[0], places[-1] + 1)):
        raise ValueError("picks along dimensions that are apart are not covered")
    width = max(one.rank for one in tensors.values())
    first = places[0]

    def element(index: Index) -> ElementExpression:
        middle = index[first : first + width]
        taken = {
            place: picked(lowering, one.element(broadcast_index(middle, one)), value.shape[place])
            for place, one in tensors.items()
        }
        rest = (*index[:first], *(taken[p][0] for p in places), *index[first + width :])
        return with_picked(lowering, value, rest, list(taken.values()))

    return _made(node, element)


def _embedding(lowering: Lowering, node: GraphNode) -> TensorValue:
    table, numbers = _source(lowering, node), lowering.tensor(node.args[1])

    def element(index: Index) -> ElementExpression:
        taken = picked(lowering, numbers.element(index[:-1]), None)
        return with_picked(lowering, table, (taken[0], index[-1]), [taken])

    return _made(node, element)


def _flip(lowering: Lowering, node: GraphNode) -> TensorValue:
    value = _source(lowering, node)
    dims = {one % value.rank for one in node.args[1]}

    def element(index: Index) -> ElementExpression:
        inner = (
            sympy.expand(value.shape[place] - 1 - one) if place in dims else one
            for place, one in enumerate(index)
        )
        return value.element(tuple(inner))

    return _made(node, element)


def _repeat(lowering: Lowering, node: GraphNode) -> TensorValue:
    value = _source(lowering, node)

    def element(index: Index) -> ElementExpression:
        own = index[len(index) - value.rank :]
        inner = (
            remainder(one, size, lowering.ranges) if size != 1 else sympy.Integer(0)
            for one, size in zip(own, value.shape, strict=True)
        )
        return value.element(tuple(inner))

    return _made(node, element)


def _iota(lowering: Lowering, node: GraphNode) -> TensorValue:
    ops, dtype = lowering.expressions, node.fact.dtype
    start, step = node.kwargs.get("start", 0), node.kwargs.get("step", 1)
    if "arange" in node.op:
        given = list(node.args)
        start = given[0] if len(given) > 1 else 0
        step = given[2] if len(given) > 2 else 1

    def element(index: Index) -> ElementExpression:
        place = sympy.expand(index[0] * lowering.size(step) + lowering.size(start))
        return ops.cast(ops.made(IndexValue, "int64", place, ()), dtype)

    return _made(node, element)


_BUILDERS: dict[str, Callable[[Lowering, GraphNode], Made]] = {
    "view": _view, "_unsafe_view": _view, "reshape": _view, "unsqueeze": _view, "squeeze": _view,
    "expand": _expand, "permute": _permute, "transpose": _transpose, "t": _transpose,
    "slice": _slice, "select": _select, "cat": _concatenate, "constant_pad_nd": _pad,
    "split": _pieces, "split_with_sizes": _pieces, "unbind": _pieces, "getitem": _item,
    "gather": _gather, "index": _index, "embedding": _embedding, "flip": _flip,
    "repeat": _repeat, "iota": _iota, "arange": _iota,
}  # fmt: skip
