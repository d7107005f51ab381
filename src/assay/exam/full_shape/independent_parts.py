"""IndependentParts: dimensions of inputs and outputs along which a task falls into parts.

The rule: what is cut together is computed together. A size is found by comparing shapes at two of
its values, and believed only where a small reference gives the same numbers for a part alone as for
that part of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from assay.data.axis import Axis, AxisRole
from assay.data.workload import Distribution
from assay.errors import TaskError
from assay.exam.secret import Secret
from assay.tasks.references.reference import BoundReference, Reference
from assay.tasks.shapes.footprint import Footprint, Shape
from assay.tasks.shapes.shape_categories import legal

_FEW = 9  # parts of the small reference
_CUTS = ((0, 1), (2, 5), (6, 9))  # of these parts, each computed alone
_SMALL_ELEMENTS = 1 << 17
_SAME = 1e-9  # of the largest number: float64, in another order


@dataclass(frozen=True)
class IndependentParts:
    """How many parts, and where each input and output is cut; None where it is needed whole."""

    axis: str
    count: int
    inputs: tuple[int | None, ...]
    outputs: tuple[int, ...]

    def of_inputs(self, inputs: Sequence[Any], start: int, stop: int) -> list[Any]:
        """The arguments for these parts alone, each in memory of its own."""
        return [
            value if dim is None else _cut(value, dim, start, stop)
            for value, dim in zip(inputs, self.inputs, strict=True)
        ]

    def of_output(self, number: int, tensor: torch.Tensor, start: int, stop: int) -> torch.Tensor:
        """These parts of an output."""
        return _cut(tensor, self.outputs[number], start, stop)


def _cut(value: torch.Tensor, dim: int, start: int, stop: int) -> torch.Tensor:
    part = value.narrow(dim, start, stop - start)
    return part.clone(memory_format=torch.contiguous_format)


def find_parts(reference: Reference) -> IndependentParts | None:
    """Along the first size that bears it, batches before others; None where none does."""
    roles = (AxisRole.BATCH, AxisRole.SIZE)
    for role in roles:
        for axis in reference.axes:
            found = _along(reference, axis) if axis.role is role else None
            if found is not None and _independent(reference, axis, found):
                return found
    return None


def _along(reference: Reference, axis: Axis) -> IndependentParts | None:
    own = reference.own_axes
    less = legal(axis, max(axis.low, axis.own // 2))
    whole, half = reference.footprint(own), reference.footprint({**own, axis.name: less})
    if less == axis.own or whole is None or half is None or whole.state != half.state:
        return None
    return _dimensions(axis, less, whole, half)


def _dimensions(
    axis: Axis, less: int, whole: Footprint, half: Footprint
) -> IndependentParts | None:
    sizes = (axis.own, less)
    inputs = [_dimension(a, b, sizes) for a, b in zip(whole.inputs, half.inputs, strict=True)]
    pairs = zip(whole.outputs, half.outputs, strict=False)
    outputs = [_dimension(a, b, sizes) for a, b in pairs]
    if _MIXED in (*inputs, *outputs) or all(dim is None for dim in inputs):
        return None
    cut = tuple(dim for dim in outputs if dim is not None)
    if len(cut) != len(whole.outputs) or not cut:
        return None
    return IndependentParts(axis.name, axis.own, tuple(inputs), cut)


_MIXED = -1  # more than one dimension follows, or one that is not the size itself


def _dimension(one: Shape | None, other: Shape | None, sizes: tuple[int, int]) -> int | None:
    """The one dimension that follows the size; None where none does."""
    if one is None or other is None:
        return None if one is other else _MIXED
    if len(one) != len(other):
        return _MIXED
    moved = [d for d, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if not moved:
        return None
    follows = len(moved) == 1 and (one[moved[0]], other[moved[0]]) == sizes
    return moved[0] if follows else _MIXED


def _independent(reference: Reference, axis: Axis, parts: IndependentParts) -> bool:
    try:
        axes = _small(reference, axis)
        if axes is None:
            return False
        plain = {"distribution": Distribution.OWN, "scale": 0, "values": (), "axes": axes}
        seed = Secret.draw().seed("parts")
        inputs = reference.draw(reference.own_workload().model_copy(update=plain), seed)
        bound = reference.bind(axes, seed)
        state = reference.draw_state(bound.module, seed)
        return all(_same_alone(bound, parts, (inputs, state), cut) for cut in _CUTS)
    except (TaskError, RuntimeError, IndexError):
        return False


def _small(reference: Reference, axis: Axis) -> dict[str, int] | None:
    """Small sizes with a few parts; None where the task does not run there."""
    axes = {**reference.own_axes, axis.name: legal(axis, _FEW)}
    if axes[axis.name] != _FEW:
        return None
    for smaller in _halvings(reference, axes, axis.name):
        if sum(reference.input_elements(smaller)) <= _SMALL_ELEMENTS:
            return smaller if reference.footprint(smaller) is not None else None
        axes = smaller
    return axes if sum(reference.input_elements(axes)) <= 64 * _SMALL_ELEMENTS else None


def _halvings(reference: Reference, axes: Mapping[str, int], kept: str) -> Iterator[dict[str, int]]:
    """The sizes as they are, then with the largest other one halved again and again."""
    now = dict(axes)
    yield dict(now)
    known = {axis.name: axis for axis in reference.axes if axis.name != kept}
    for _ in range(60):
        open_ = [n for n in known if legal(known[n], now[n] // 2) < now[n]]
        if not open_:
            return
        name = max(open_, key=lambda n: now[n])
        half = {**now, name: legal(known[name], now[name] // 2)}
        if reference.footprint(half) is None:
            known.pop(name)
            continue
        now = half
        yield dict(now)


def _same_alone(
    bound: BoundReference,
    parts: IndependentParts,
    given: tuple[Sequence[Any], Mapping[str, torch.Tensor]],
    cut: tuple[int, int],
) -> bool:
    """Whether a few parts alone are what they are in the whole, in float64."""
    inputs, state = given
    whole = bound(inputs, state, wide=True).tensors
    alone = bound(parts.of_inputs(inputs, *cut), state, wide=True).tensors
    if len(whole) != len(alone) or len(whole) != len(parts.outputs):
        return False
    pairs = [(parts.of_output(i, tensor, *cut), alone[i]) for i, tensor in enumerate(whole)]
    return all(_alike(one, other) for one, other in pairs)


def _alike(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if not one.is_floating_point():
        return torch.equal(one, other)
    size = float(one.abs().nan_to_num(0.0, 0.0, 0.0).max()) if one.numel() else 0.0
    return torch.allclose(one, other, rtol=_SAME, atol=_SAME * size, equal_nan=True)
