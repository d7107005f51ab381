"""Literal values: some elements of an input are numbers that stand in a candidate's source.

The rule: of each number its exact value, the floats beside it, its negative and a narrow band
around it. A row holds few different numbers, so that a large one hides no small one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

SHARE = 0.125  # of the elements
_KINDS = 8  # exact, next above, next below, negative, four bands
_BANDS = (-4, -13)  # powers of two: the width of a band, as a share of the number


def with_literals(
    own: torch.Tensor, literals: Sequence[float], generator: torch.Generator
) -> torch.Tensor:
    """The own draw in float64, with some elements replaced."""
    made = own.double()
    if not literals or not made.numel():
        return made
    flat = made.reshape(-1, made.shape[-1]) if made.dim() else made.reshape(1, 1)
    chosen = torch.rand(flat.shape, generator=generator) < SHARE
    chosen[:, 0] |= ~chosen.any(dim=1)  # one of a row at least
    values = torch.tensor(list(literals), dtype=torch.float64)[_numbers(flat, len(literals))]
    varied = _varied(values, own.dtype, generator)
    return torch.where(chosen, varied, flat).reshape(made.shape)


def _numbers(flat: torch.Tensor, count: int) -> torch.Tensor:
    """Which number each element may become: one a row, or more where rows are few."""
    rows, columns = flat.shape
    parts = min(columns, math.ceil(count / max(1, rows)))
    part = torch.arange(columns) * parts // max(1, columns)
    return (torch.arange(rows)[:, None] * parts + part[None, :]) % count


def _varied(values: torch.Tensor, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Each number as one of its neighbours."""
    kind = torch.randint(0, _KINDS, values.shape, generator=generator)
    places = 2 * torch.rand(values.shape, generator=generator, dtype=torch.float64) - 1
    power = torch.randint(_BANDS[1], _BANDS[0] + 1, values.shape, generator=generator)
    found = values * (1 + places * 2.0**power)
    above, below = _neighbours(values, dtype)
    for number, neighbour in enumerate((values, above, below, -values)):
        found = torch.where(kind == number, neighbour, found)
    return found


def _neighbours(values: torch.Tensor, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """The next numbers of the input's own type."""
    if dtype in (torch.float32, torch.float64):
        held, far = values.to(dtype), torch.tensor(math.inf, dtype=dtype)
        return torch.nextafter(held, far).double(), torch.nextafter(held, -far).double()
    step = values.abs() * torch.finfo(dtype).eps
    return values + step, values - step
