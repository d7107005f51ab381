"""Constant values: floats at the thresholds of the reference, and exactly between two integers.

The rule: a threshold is planted itself where the dtype holds it exactly, and always with its
neighbours in the dtype and further away; every one in every draw. Halves lie on a grid on which
scaling by the reference's own powers of two is exact, so that a tie is a tie in every precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from assay.tasks.values.input_structure import Structure
from assay.tasks.values.reference_constants import Constants

_FAR = (2.0**-12, 2.0**-6, 2.0**-3)  # relative distances at which another threshold would show
_PLANTED_SHARE = 0.5
_LEVELS = 8  # where the reference names none


def at_thresholds(
    own: Sequence[Any], constants: Constants, shapes: Sequence[Structure], seed: int
) -> tuple[Any, ...]:
    """The own draw with half of the free float elements at or beside a threshold."""
    generator = torch.Generator().manual_seed(seed)
    inputs = list(own)
    for index, shape in enumerate(shapes):
        if shape in (Structure.FREE, Structure.POSITIVE):
            inputs[index] = _planted(own[index], constants.thresholds, generator, shape)
    return tuple(inputs)


def _planted(
    own: torch.Tensor, thresholds: Sequence[float], generator: torch.Generator, shape: Structure
) -> torch.Tensor:
    values = torch.cat([beside(value, own.dtype) for value in thresholds])
    values = values[values > 0] if shape is Structure.POSITIVE else values
    count = max(1, min(own.numel(), max(len(values), round(own.numel() * _PLANTED_SHARE))))
    if own.numel() == 0 or len(values) == 0:
        return own
    order = torch.randperm(len(values), generator=generator)
    chosen = values[order].repeat(-(-count // len(values)))[:count]
    flat = own.reshape(-1).clone()
    flat[torch.randperm(own.numel(), generator=generator)[:count]] = chosen
    return torch.empty_like(own).copy_(flat.view(own.shape))


def beside(value: float, dtype: torch.dtype) -> torch.Tensor:
    """A threshold, where the dtype holds it, its two neighbours, and values further away."""
    near = torch.tensor(value, dtype=dtype)
    ends = torch.tensor([float("inf"), -float("inf")], dtype=dtype)
    found = [*(torch.nextafter(near, end) for end in ends)]
    if float(near) == value:
        found.append(near)
    found += [torch.tensor(value * (1 + s * far), dtype=dtype) for far in _FAR for s in (1, -1)]
    return torch.stack(found)


def on_halves(
    own: Sequence[Any], constants: Constants, shapes: Sequence[Structure], seed: int
) -> tuple[Any, ...]:
    """Multiples of one half in the first of the largest free inputs, powers of two in others.

    The largest value of every row and column is the largest code, so that a scale which is made
    of it is a power of two.
    """
    generator = torch.Generator().manual_seed(seed)
    inputs = list(own)
    free = [i for i, shape in enumerate(shapes) if shape in (Structure.FREE, Structure.POSITIVE)]
    lead = max(free, key=lambda i: (own[i].numel(), -i), default=-1)
    for index in free:
        made = _halves(own[index], constants, generator) if index == lead else None
        if made is None:
            made = 2.0 ** torch.randint(-1, 2, own[index].shape, generator=generator)
        made = made.abs() if shapes[index] is Structure.POSITIVE else made
        inputs[index] = torch.empty_like(own[index]).copy_(made)
    return tuple(inputs)


def _halves(
    own: torch.Tensor, constants: Constants, generator: torch.Generator
) -> torch.Tensor | None:
    if own.dim() == 0 or own.numel() == 0:
        return None
    levels = constants.levels[-1] if constants.levels else _LEVELS
    rows = own.reshape(-1, own.shape[-1]).shape
    made = torch.randint(-2 * levels, 2 * levels + 1, rows, generator=generator).double() / 2
    made[0] = levels
    made[:, 0] = -levels
    factors = torch.tensor(constants.factors, dtype=torch.float64)
    chosen = torch.randint(0, len(factors), (rows[0], 1), generator=generator)
    return (made * factors[chosen]).reshape(own.shape)
