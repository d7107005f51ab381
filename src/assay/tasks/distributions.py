"""Distributions: float inputs redrawn so that a shortcut shows.

The rule: dtype and shape stay, and so does the structure the task's own generator promises;
integers and booleans always keep the own draw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from assay.data.workload import Distribution
from assay.tasks.marked_values import close_masks, put_marks
from assay.tasks.structure import Structure, structure_of

OUTLIER_SHARE = 0.001
OUTLIER_FACTOR = 50.0
WIDE_BITS = 12  # more than the 11 significant bits of float16 and TF32


@dataclass(frozen=True)
class Planted:
    """Where a non-finite value was put: which input, and the index of the element."""

    input: int
    index: tuple[int, ...]
    value: float


@dataclass(frozen=True)
class Drawn:
    """The inputs of one call, and the planted element where there is one."""

    inputs: tuple[Any, ...]
    planted: Planted | None = None


def redraw(
    own: Sequence[Any],
    distribution: Distribution,
    seed: int,
    shapes: Sequence[Structure],
    marks: dict[int, int] | None = None,
) -> Drawn:
    """The own draw with its float inputs drawn anew from `distribution`.

    `shapes` is the structure of each input, seen on a draw large enough to show it; `marks` are the
    labels that some inputs may carry.
    """
    if distribution is Distribution.OWN:
        return Drawn(tuple(own))
    generator = torch.Generator().manual_seed(seed)
    if distribution is Distribution.MARKED:
        inputs = list(own)
        close_masks(inputs, generator)
        put_marks(inputs, marks or {}, generator)
        return Drawn(tuple(inputs))
    if distribution in (Distribution.NAN, Distribution.INF):
        return _plant(own, distribution, generator)
    free = [i for i, shape in enumerate(shapes) if shape is not Structure.FIXED]
    lead = free[_below(len(free), generator)] if free else -1
    inputs = list(own)
    for index in free:
        draw = _narrow if distribution is Distribution.DYADIC and index != lead else None
        made = (draw or DRAWERS[distribution])(own[index].double(), generator)
        inputs[index] = _keep(own[index], made, shapes[index])
    return Drawn(tuple(inputs))


def structures(own: Sequence[Any]) -> tuple[Structure, ...]:
    """The structure of each input; what is no tensor is fixed."""
    return tuple(
        structure_of(value) if isinstance(value, torch.Tensor) else Structure.FIXED for value in own
    )


def _keep(own: torch.Tensor, made: torch.Tensor, shape: Structure) -> torch.Tensor:
    """`made` in the dtype and with the structure of the own draw."""
    if shape is Structure.SYMMETRIC:
        upper = made.triu()
        made = upper + upper.transpose(-1, -2) - torch.diag_embed(made.diagonal(dim1=-2, dim2=-1))
    if shape is Structure.ZEROS:
        made = torch.where(own == 0, torch.zeros_like(made), made)
    return made.to(own.dtype)


def _plant(own: Sequence[Any], distribution: Distribution, generator: torch.Generator) -> Drawn:
    """One element of one float input becomes NaN or an infinity; a structural zero never does."""
    places = [i for i, v in enumerate(own) if isinstance(v, torch.Tensor) and v.is_floating_point()]
    places = [i for i in places if own[i].numel()]
    if not places:
        return Drawn(tuple(own))
    chosen = places[_below(len(places), generator)]
    tensor = own[chosen].clone()
    spots = tensor.nonzero()
    spots = spots if len(spots) else torch.zeros(1, tensor.dim(), dtype=torch.int64)
    index = tuple(int(i) for i in spots[_below(len(spots), generator)])
    sign = 1.0 if _below(2, generator) else -1.0
    value = math.nan if distribution is Distribution.NAN else sign * math.inf
    tensor[index] = value
    inputs = [tensor if i == chosen else v for i, v in enumerate(own)]
    return Drawn(tuple(inputs), Planted(chosen, index, value))


def _below(limit: int, generator: torch.Generator) -> int:
    return int(torch.randint(0, limit, (1,), generator=generator))


def _between(low: float, high: float, generator: torch.Generator) -> float:
    return low + (high - low) * float(torch.rand(1, generator=generator))


def _normal(own: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(own.shape, generator=generator, dtype=torch.float64)


def _uniform(own: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.rand(own.shape, generator=generator, dtype=torch.float64) * 2 - 1


def _outlier(own: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """0.1 % of the elements, and at least one, times 50."""
    made = own.flatten().clone()
    count = max(1, round(OUTLIER_SHARE * made.numel()))
    places = torch.randint(0, made.numel(), (count,), generator=generator)
    made[places] *= OUTLIER_FACTOR
    return made.view(own.shape)


def _offset(own: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """A mean of 10^2 to 10^4 times the spread."""
    mean = 10 ** _between(2, 4, generator)
    return _normal(own, generator) + (mean if _below(2, generator) else -mean)


def _large(own: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return _normal(own, generator) * 10 ** _between(1, 4, generator)


def _small(own: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Around 10^-3: where the epsilon of a normalisation weighs as much as the data."""
    return _normal(own, generator) * 10 ** _between(-4, -2.5, generator)


def _dyadic(own: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Odd multiples of 2^-12 in (1/2, 1): twelve significant bits, lost by any 11-bit format.

    Against a narrow partner every partial sum of up to 2^11 terms is exact in float32.
    """
    half = 1 << (WIDE_BITS - 2)
    odd = 2 * torch.randint(half, 2 * half, own.shape, generator=generator) + 1
    return _signs(own, generator) * odd.double() / (1 << WIDE_BITS)


def _narrow(own: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Plus and minus one and one half: the partner of a dyadic input."""
    scale = torch.randint(0, 2, own.shape, generator=generator).double()
    return _signs(own, generator) * (1 + scale) / 2


def _signs(own: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randint(0, 2, own.shape, generator=generator).double() * 2 - 1


def _negative(own: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return -_normal(own, generator).abs() - 0.1


def _zeros(own: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.zeros_like(own)


def _ties(own: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Five values on a dyadic grid, so that maxima and sums tie exactly."""
    return torch.randint(-2, 3, own.shape, generator=generator).double() / 2


def _blocks(own: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """The own draw with a few blocks, at random places, 8 to 32 times as large."""
    made = own.flatten().clone()
    length = max(1, min(made.numel() // 8, own.shape[-1] if own.dim() else 1))
    for _ in range(3):
        start = _below(made.numel() - length + 1, generator)
        made[start : start + length] *= _between(8, 32, generator)
    return made.view(own.shape)


DRAWERS: dict[Distribution, Callable[[torch.Tensor, torch.Generator], torch.Tensor]] = {
    Distribution.NORMAL: _normal,
    Distribution.UNIFORM: _uniform,
    Distribution.OUTLIER: _outlier,
    Distribution.OFFSET: _offset,
    Distribution.LARGE: _large,
    Distribution.SMALL: _small,
    Distribution.DYADIC: _dyadic,
    Distribution.NEGATIVE: _negative,
    Distribution.ZEROS: _zeros,
    Distribution.TIES: _ties,
    Distribution.BLOCKS: _blocks,
}
