"""TensorValue: a tensor of the graph as a function from an index to an expression.

The rule: nothing is computed when a value is made. A value that is read at an index gives the
expression of that element; what it is made of is followed to buffers, numbers and reductions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.generators.templates.graph.expression import (
    FLOATS,
    ElementExpression,
    ElementLoad,
    Expressions,
    IndexValue,
    computed_in,
)
from assay.generators.templates.graph.symbolic_size import (
    Size,
    linear,
    parse_size,
    unravelled,
)
from assay.generators.templates.graph.traced_graph import GraphNode, TensorFact

Index = tuple[Size, ...]
_RANK = ("bool", "uint8", "int8", "int16", "int32", "int64", "float32", "float64")


@dataclass(frozen=True)
class TensorValue:
    """A tensor: its shape, its dtype in torch, and its elements."""

    shape: Index
    dtype: str
    element: Callable[[Index], ElementExpression]
    buffer: str = ""  # whose memory it is, without gaps; empty: it is computed

    @property
    def rank(self) -> int:
        """How many dimensions."""
        return len(self.shape)


@dataclass(eq=False)
class Reduction:
    """A fold of `body` over the reduced sizes, for each index of the kept ones."""

    fold: str  # "sum", "max", "min", "prod"
    dtype: str  # that is folded in
    kept: Index
    reduced: Index
    body: Callable[[Index, Index], ElementExpression]


@dataclass(eq=False)
class Product(Reduction):
    """A sum of products: of matrices for each index of a batch. kept = (*batch, m, n)."""

    left: TensorValue
    right: TensorValue


@dataclass
class Lowering:
    """What is shared while one graph is read."""

    expressions: Expressions = field(default_factory=Expressions)
    values: dict[str, Any] = field(default_factory=dict)  # node -> TensorValue, or several
    ranges: dict[Any, Size] = field(default_factory=dict)  # loop variable -> its size
    hints: dict[str, int] = field(default_factory=dict)  # size -> its value in the own workload

    def usual(self, size: Size) -> float:
        """A size in the task's own workload; without bound where that is unknown."""
        found = size.subs({one: self.hints.get(str(one), one) for one in size.free_symbols})
        return float(found) if found.is_number else float("inf")

    def variables(self, shape: Sequence[Size], prefix: str = "i") -> tuple[Any, ...]:
        """Fresh loop variables over a shape."""
        found = []
        for size in shape:
            variable = self.expressions.fresh(prefix)
            self.ranges[variable] = size
            found.append(variable)
        return tuple(found)

    def tensor(self, argument: Any) -> TensorValue:
        """An argument that must be one tensor."""
        match argument:
            case {"node": name}:
                found = self.values.get(name)
                if isinstance(found, TensorValue):
                    return found
        raise ValueError("an operation is given something that is no tensor")

    def is_tensor(self, argument: Any) -> bool:
        """Whether an argument is one."""
        return isinstance(argument, dict) and "node" in argument

    def size(self, argument: Any) -> Size:
        """An argument that must be a whole number."""
        match argument:
            case {"size": text}:
                return parse_size(text)
            case bool():
                raise ValueError("a size is true or false")
            case int():
                return parse_size(str(argument))
        raise ValueError("a size is not a whole number")

    def scalar(self, argument: Any, dtype: str) -> ElementExpression:
        """A number as an expression."""
        match argument:
            case {"size": text}:
                value = self.expressions.made(IndexValue, "int64", parse_size(text), ())
                return self.expressions.cast(value, dtype)
            case {"float": text}:
                return self.expressions.number(float(text), computed_in(dtype))
            case bool() | int() | float():
                plain = self.expressions.number(argument, _of_number(argument))
                return self.expressions.cast(plain, dtype)
        raise ValueError("a number is expected")

    def loaded(self, name: str, shape: Index, dtype: str) -> TensorValue:
        """A buffer without gaps."""

        def element(index: Index) -> ElementExpression:
            place = linear(index, shape)
            return self.expressions.made(ElementLoad, computed_in(dtype), name, place, ())  # type: ignore[no-any-return]

        return TensorValue(shape, dtype, element, name)

    def reshaped(self, value: TensorValue, shape: Index) -> TensorValue:
        """The same elements in order, in another shape."""
        if value.buffer:
            return self.loaded(value.buffer, shape, value.dtype)
        old, first, last = value.shape, 0, 0
        shortest = min(len(old), len(shape))
        while first < shortest and old[first] == shape[first]:
            first += 1
        while last < shortest - first and old[-1 - last] == shape[-1 - last]:
            last += 1
        before, after = old[first : len(old) - last], shape[first : len(shape) - last]

        def element(index: Index) -> ElementExpression:
            end = len(index) - last
            place = linear(index[first:end], after)
            inner = unravelled(place, before, self.ranges)
            return value.element((*index[:first], *inner, *index[end:]))

        return TensorValue(shape, value.dtype, element)


def shape_of(fact: TensorFact) -> Index:
    """A shape of the graph."""
    return tuple(parse_size(one) for one in fact.shape)


def promoted(dtypes: Sequence[str]) -> str:
    """What numbers of several dtypes are compared in."""
    return max((computed_in(one) for one in dtypes), key=_RANK.index)


def broadcast_index(index: Index, value: TensorValue) -> Index:
    """The index of a value that is spread over a larger shape."""
    own = index[len(index) - value.rank :] if value.rank else ()
    return tuple(
        parse_size("0") if size == 1 else one for one, size in zip(own, value.shape, strict=True)
    )


def argument(node: GraphNode, place: int, name: str, default: Any = None) -> Any:
    """An argument by its place or its name."""
    if place < len(node.args):
        return node.args[place]
    return node.kwargs.get(name, default)


def _of_number(value: float | int | bool) -> str:
    return {"bool": "bool", "int": "int64", "float": "float32"}[type(value).__name__]


def is_float(dtype: str) -> bool:
    """Whether it has a fraction."""
    return dtype in FLOATS
