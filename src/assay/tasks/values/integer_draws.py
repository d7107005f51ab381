"""Integer draws: masks, lengths, offsets, indices and labels drawn anew inside their domains.

The rule: dtype, shape and what the own generator promises stay. Both ends of a range are in every
draw, so that what the reference admits once it admits whenever it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import torch

from assay.tasks.values.integer_domains import Dimension, IntegerDomain, IntegerForm

_OPEN_SHARE = 0.7  # of a mask
_END_SHARE = 0.125  # of integers: each end of their range
_MOST_SHUFFLED = 1 << 22


class Extent(IntEnum):
    """Which part of the domains is drawn; the scale of a workload of marked values."""

    MIXED = 0
    WHOLE_ROWS = 1  # as mixed; some rows of a mask are closed altogether
    HIGHEST = 2  # every integer the largest, every mask open: narrow sums and indices run over
    LOWEST = 3


@dataclass(frozen=True)
class IntegerRequest:
    """The own draw, the sizes of parameters, random numbers and what part is asked for."""

    own: Sequence[Any]
    sizes: Mapping[str, tuple[int, ...]]  # of parameters and buffers, by name
    generator: torch.Generator
    extent: Extent

    def size(self, at: Dimension) -> int:
        """One dimension as it is at this shape; 0 where this configuration does not have it."""
        owner = at.owner
        shape = self.sizes.get(owner, ()) if isinstance(owner, str) else self.own[owner].shape
        return int(shape[at.dim]) if at.dim < len(shape) else 0

    def rand(self, shape: Sequence[int]) -> torch.Tensor:
        """Uniform in [0, 1)."""
        return torch.rand(tuple(shape), generator=self.generator)

    def integers(self, low: int, high: int, shape: Sequence[int]) -> torch.Tensor:
        """Uniform from `low` to `high`, both included."""
        return torch.randint(low, high + 1, tuple(shape), generator=self.generator)


def redraw_integers(request: IntegerRequest, domains: Mapping[int, IntegerDomain]) -> list[Any]:
    """The inputs with every one that has a domain drawn anew."""
    inputs = list(request.own)
    for index, domain in domains.items():
        own = inputs[index]
        if own.numel():
            made = _DRAWERS[domain.form](own, domain, request)
            inputs[index] = torch.empty_like(own).copy_(made)
    for one, other in _ordered_pairs(request.own, domains):
        inputs[one], inputs[other] = _in_order(request.own, inputs, one, other)
    return inputs


def _ordered_pairs(
    own: Sequence[Any], domains: Mapping[int, IntegerDomain]
) -> list[tuple[int, int]]:
    """Inputs of one shape of which the first is nowhere above the second: starts and ends."""
    free = [i for i, domain in domains.items() if domain.form in _FREE and own[i].numel()]
    return [
        (i, j)
        for i in free
        for j in free
        if i != j and own[i].shape == own[j].shape and _is_below(own[i], own[j])
    ]


def _is_below(one: torch.Tensor, other: torch.Tensor) -> bool:
    return bool((one <= other).all()) and bool((one < other).any())


def _in_order(
    own: Sequence[Any], made: Sequence[Any], one: int, other: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The smaller of each pair in the first; never equal where the own ones never are."""
    low, high = torch.minimum(made[one], made[other]), torch.maximum(made[one], made[other])
    if bool((own[one] < own[other]).all()):
        equal, room = low == high, low > own[one].min()
        low = torch.where(equal & room, low - 1, low)
        high = torch.where(equal & ~room, high + 1, high)
    return low.to(made[one].dtype), high.to(made[other].dtype)


def _range(own: torch.Tensor, domain: IntegerDomain, request: IntegerRequest) -> torch.Tensor:
    low, high = bounds(own, domain, request)
    if request.extent is Extent.HIGHEST:
        return torch.full_like(own, high)
    if request.extent is Extent.LOWEST:
        return torch.full_like(own, low)
    made = request.integers(low, high, own.shape)
    part = request.rand(own.shape)
    made = torch.where(part < _END_SHARE, low, torch.where(part > 1 - _END_SHARE, high, made))
    flat = made.reshape(-1)
    flat[0], flat[-1] = low, high  # of one element it is the largest
    return flat.view(own.shape)


def bounds(own: torch.Tensor, domain: IntegerDomain, request: IntegerRequest) -> tuple[int, int]:
    """The smallest and the largest value of a domain at this shape."""
    low = int(own.min()) if domain.low is None else domain.low
    high = int(own.max())
    if domain.beyond is not None:
        high = max(high, request.size(domain.beyond) - 1)
    return min(low, high), high


def _distinct(own: torch.Tensor, domain: IntegerDomain, request: IntegerRequest) -> torch.Tensor:
    """Every row in another order; of a larger range where there is one, its last value included."""
    low, high = bounds(own, domain, request)
    width = own.shape[-1]
    places = request.rand((*own.shape[:-1], width)).argsort(dim=-1)
    if high > int(own.max()) and own.numel() <= high - low < _MOST_SHUFFLED:
        last = torch.tensor([high - low])
        chosen = torch.randperm(high - low, generator=request.generator)[: own.numel() - 1]
        chosen = torch.cat([chosen, last]).view(own.shape) + low
        return chosen.gather(-1, places)
    return own.gather(-1, places)


def _sorted(own: torch.Tensor, domain: IntegerDomain, request: IntegerRequest) -> torch.Tensor:
    """Other steps between the same ends: some of zero where values may be equal."""
    first, last = own[..., :1], own[..., -1:]
    least = 0 if domain.repeats else 1
    steps = own.shape[-1] - 1
    room = (last - first).double() - least * steps
    if steps < 2 or bool((room < 0).any()):
        return own
    cuts = (request.rand((*own.shape[:-1], steps - 1)).double() * (room + 1)).floor()
    cuts = cuts.clamp(max=room).sort(dim=-1).values  # at most all of the room
    inner = first + cuts.to(own.dtype) + least * torch.arange(1, steps)
    return torch.cat([first, inner.to(own.dtype), last], dim=-1)


def _mask(own: torch.Tensor, _: IntegerDomain, request: IntegerRequest) -> torch.Tensor:
    """The first of a row stays; with whole rows, some rows close."""
    if request.extent in (Extent.HIGHEST, Extent.LOWEST):
        return torch.full_like(own, request.extent is Extent.HIGHEST)
    constant = bool((own == own.reshape(-1)[0]).all())
    keep = request.rand(own.shape) < _OPEN_SHARE
    keep[..., 0] = True
    if request.extent is Extent.WHOLE_ROWS and own.dim() > 1:
        keep &= request.rand((*own.shape[:-1], 1)) < _OPEN_SHARE
    opened = bool(own.reshape(-1)[0]) if constant else True
    return keep if opened else ~keep


def _prefix_mask(own: torch.Tensor, _: IntegerDomain, request: IntegerRequest) -> torch.Tensor:
    width = own.shape[-1]
    if request.extent is Extent.HIGHEST:
        return torch.ones_like(own)
    if request.extent is Extent.LOWEST:
        return torch.zeros_like(own)
    least = 0 if request.extent is Extent.WHOLE_ROWS else 1
    lengths = request.integers(least, width, (*own.shape[:-1], 1))
    lengths.reshape(-1)[0] = least
    lengths.reshape(-1)[-1] = width
    return torch.arange(width) < lengths


_FREE = (IntegerForm.RANGE, IntegerForm.CONSTANT)
_Drawer = Callable[[torch.Tensor, IntegerDomain, IntegerRequest], torch.Tensor]
_DRAWERS: dict[IntegerForm, _Drawer] = {
    IntegerForm.RANGE: _range,
    IntegerForm.CONSTANT: _range,
    IntegerForm.DISTINCT: _distinct,
    IntegerForm.SORTED: _sorted,
    IntegerForm.MASK: _mask,
    IntegerForm.PREFIX_MASK: _prefix_mask,
}
