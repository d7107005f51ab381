"""The library of relations: rows moved, left out, repeated, joined, padded; values scaled, shifted;
everything transposed.

The rule: a proposal claims nothing. Whether it holds is for the reference to say.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from assay.tasks.relations.relation import Predict, Relation, Tensors, Transform

_DEGREES = (0, 1, 2)
_FACTOR = 2.0  # scaling by it rounds nothing
_STEP = 4.0
_GRID = 2.0**-10  # values on it are shifted without rounding

BatchDims = Sequence[int | None]  # of each input: the dimension that the batch runs along


def row_relations(
    dims: BatchDims, count: int, part_count: int, rng: random.Random
) -> Iterator[Relation]:
    """A batch of `count` rows in another order, a part of it, rows twice, more rows, padding."""
    dim = next(d for d in dims if d is not None)
    part = sorted(rng.sample(range(count), part_count))
    chosen = {
        "permuted": _another_order(count, rng),
        "rows repeated": [rng.randrange(count) for _ in range(count)],
        "split": part,
        "joined": [*range(count), *part],
    }
    for name, rows in chosen.items():
        yield Relation(name, _selected(dims, rows), _of_outputs(dim, count, rows))
    padded = count + len(part)
    first = _of_outputs(dim, padded, list(range(count)))
    yield Relation("padded", _padded(dims, len(part)), tuple, part=first)


def _another_order(count: int, rng: random.Random) -> list[int]:
    """Never the order that there is: of three rows one draw in six would be."""
    order = rng.sample(range(count), count)
    return order if order != list(range(count)) else order[::-1]


def value_relations(number: int) -> Iterator[Relation]:
    """One input scaled: the outputs scale by a power. One input shifted: they stay, or shift."""
    for degree in _DEGREES:
        yield Relation(
            f"input {number} scaled, degree {degree}",
            _changed(number, lambda value: value * _FACTOR),
            _each(_scaled(_FACTOR**degree)),
        )
    for name, step in (("invariant", 0.0), ("equivariant", _STEP)):
        yield Relation(
            f"input {number} shifted, {name}",
            _changed(number, lambda value: value + _STEP),
            _each(_shifted(step)),
            base=_changed(number, lambda value: (value / _GRID).round() * _GRID),
        )


def transposition() -> Relation:
    """The last two dimensions of everything change places; square inputs alone stay legal."""

    def transform(inputs: Sequence[Any]) -> tuple[Any, ...]:
        shapes = [v.shape for v in inputs if isinstance(v, torch.Tensor) and v.dim() > 1]
        if not shapes or any(shape[-1] != shape[-2] for shape in shapes):
            raise ValueError("not square")
        return tuple(_turned(value) for value in inputs)

    return Relation("transposed", transform, _each(_turned))


def _selected(dims: BatchDims, rows: list[int]) -> Transform:
    index = torch.tensor(rows)
    return lambda inputs: tuple(
        value if dim is None else value.index_select(dim, index)
        for value, dim in zip(inputs, dims, strict=True)
    )


def _padded(dims: BatchDims, extra: int) -> Transform:
    def transform(inputs: Sequence[Any]) -> tuple[Any, ...]:
        made = []
        for value, dim in zip(inputs, dims, strict=True):
            if dim is not None:
                zeros = torch.zeros_like(value.narrow(dim, 0, extra))
                value = torch.cat([value, zeros], dim)
            made.append(value)
        return tuple(made)

    return transform


def _of_outputs(dim: int, count: int, rows: list[int]) -> Predict:
    """The same rows of every output that has as many along that dimension; others stay."""
    index = torch.tensor(rows)

    def pick(output: torch.Tensor) -> torch.Tensor:
        has_rows = output.dim() > dim and output.shape[dim] == count
        return output.index_select(dim, index) if has_rows else output

    return _each(pick)


def _changed(number: int, change: Callable[[torch.Tensor], torch.Tensor]) -> Transform:
    return lambda inputs: tuple(
        change(value) if i == number else value for i, value in enumerate(inputs)
    )


def _each(change: Callable[[torch.Tensor], torch.Tensor]) -> Predict:
    def predict(outputs: Tensors) -> Tensors:
        return tuple(change(output) for output in outputs)

    return predict


def _scaled(factor: float) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda output: output if factor == 1.0 else output * factor


def _shifted(step: float) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda output: output if step == 0.0 else output + step


def _turned(value: Any) -> Any:
    is_matrix = isinstance(value, torch.Tensor) and value.dim() > 1
    return value.transpose(-1, -2).contiguous() if is_matrix else value
