"""Drawers: how the values of one float input are drawn for each distribution.

The rule: a drawer returns float64 of the own shape; dtype and structure are put back by its caller.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from assay.data.workload import Distribution
from assay.tasks.values.zero_structures import padded_rows, scattered_places, zero_places

OUTLIER_SHARE = 0.001
OUTLIER_FACTOR = 50.0
FAR_ENDS = 1 / 16  # of rows whose first element is an outlier, and of those whose last is
FARTHER = 2  # times as far as other outliers
WIDE_BITS = 12  # more than the 11 significant bits of float16 and TF32
CONSTANT_SHARE = 0.25  # rows of one value among rows of ties
SCATTERED_SHARE = 1 / 32  # zeros beside those that form a structure
WHOLE_SCALE = 24  # at which rungs of the ladder some rows are whole numbers below 2^24
LONGEST_SORTED = 4096  # elements of a row that is put in order: some sorts take a square of them
LEAST_APART = 64  # elements of a part with a far end: of shorter ones they would be no outliers
NEARLY = 8  # times the largest element of a row is what tells it from the row before it


@dataclass(frozen=True)
class DrawRequest:
    """What a drawer has: the own draw, random numbers, the power of two and the part to play."""

    own: torch.Tensor
    generator: torch.Generator
    scale: int = 0
    leads: bool = True  # the one input of a call that differs from its partners

    @property
    def wide(self) -> torch.Tensor:
        """The own draw in float64."""
        return self.own.double()

    def below(self, limit: int) -> int:
        """A random integer from 0 to `limit` - 1."""
        return int(torch.randint(0, limit, (1,), generator=self.generator))

    def between(self, low: float, high: float) -> float:
        """A random number of that range."""
        return low + (high - low) * float(torch.rand(1, generator=self.generator))

    def chosen(self, share: float, shape: torch.Size | None = None) -> torch.Tensor:
        """True at a random share of the places."""
        shape = self.own.shape if shape is None else shape
        return torch.rand(shape, generator=self.generator) < share

    def signs(self) -> torch.Tensor:
        """Plus and minus one."""
        bits = torch.randint(0, 2, self.own.shape, generator=self.generator)
        return bits.double() * 2 - 1


def normal(request: DrawRequest) -> torch.Tensor:
    """Mean 0, spread 1."""
    return torch.randn(request.own.shape, generator=request.generator, dtype=torch.float64)


def _uniform(request: DrawRequest) -> torch.Tensor:
    return torch.rand(request.own.shape, generator=request.generator, dtype=torch.float64) * 2 - 1


def _outlier(request: DrawRequest) -> torch.Tensor:
    """0.1 % of the elements, and at least one, times 50; and ends of some rows, items and planes.

    A variance whose sums are shifted by the first element loses its digits there.
    """
    made = request.wide.clone(memory_format=torch.contiguous_format)
    far = FARTHER * OUTLIER_FACTOR * made.abs().mean()
    count = max(1, round(OUTLIER_SHARE * made.numel()))
    places = torch.randint(0, made.numel(), (count,), generator=request.generator)
    made.view(-1)[places] *= OUTLIER_FACTOR
    for dim in range(1, made.dim() if made.numel() else 0):
        parts = made.view(math.prod(made.shape[:dim]), -1)
        if dim > 1 and parts.shape[1] < LEAST_APART:
            break
        for end in (0, -1):
            chosen = request.chosen(FAR_ENDS, parts.shape[:1])
            chosen[request.below(len(chosen))] = True
            parts[chosen, end] = torch.copysign(far, parts[chosen, end])
    return made


def _offset(request: DrawRequest) -> torch.Tensor:
    """A mean of 2^scale, of either sign, around which the values spread by 1."""
    mean = 2.0**request.scale
    return normal(request) + (mean if request.below(2) else -mean)


def _opposed(request: DrawRequest) -> torch.Tensor:
    """Far from zero, on the other side than the partners: every product is large and negative."""
    return normal(request) + (2.0**request.scale if request.leads else -(2.0**request.scale))


def _small(request: DrawRequest) -> torch.Tensor:
    """A low rung of the ladder. Around 2^-10 an epsilon weighs as much as the data."""
    return normal(request) * 2.0**request.scale


def _large(request: DrawRequest) -> torch.Tensor:
    """A high rung of the ladder; in half of the rows the largest element comes first or last.

    On the highest rungs a quarter of the rows are whole numbers that float32 holds: their sums do
    not fit integers of 32 bits.
    """
    made = normal(request) * 2.0**request.scale
    if made.dim() == 0 or made.numel() == 0:
        return made
    rows = made.view(-1, made.shape[-1])
    if request.scale >= WHOLE_SCALE:
        rows[1::4] = _whole(replace(request, own=rows[1::4], scale=WHOLE_SCALE))
    place = torch.randint(0, 4, (len(rows),), generator=request.generator)
    for part, end in ((0, 0), (1, -1)):
        chosen = (place == part).nonzero().reshape(-1)
        peaks = rows[chosen].argmax(-1)
        largest, edge = rows[chosen, peaks], rows[chosen, end]
        rows[chosen, peaks], rows[chosen, end] = edge, largest
    return made


def _dyadic(request: DrawRequest) -> torch.Tensor:
    """Odd multiples of 2^-12 in (1/2, 1): twelve significant bits, lost by any 11-bit format.

    Against a narrow partner every partial sum of up to 2^11 terms is exact in float32.
    """
    if not request.leads:
        return _narrow(request)
    half = 1 << (WIDE_BITS - 2)
    odd = 2 * torch.randint(half, 2 * half, request.own.shape, generator=request.generator) + 1
    return request.signs() * odd.double() / (1 << WIDE_BITS)


def _narrow(request: DrawRequest) -> torch.Tensor:
    """Plus and minus one and one half: the partner of a dyadic input."""
    scale = torch.randint(0, 2, request.own.shape, generator=request.generator).double()
    return request.signs() * (1 + scale) / 2


def _negative(request: DrawRequest) -> torch.Tensor:
    """Below zero; with a scale below -2^scale, where a maximum that begins at zero is lost.

    In half of the rows the values then lie an eighth of that apart, which no rounding hides.
    """
    away = normal(request).abs()
    if not request.scale:
        return -away - 0.1
    wide = request.chosen(0.5, torch.Size((*away.shape[:-1], 1))) if away.dim() else False
    return (
        -torch.where(torch.as_tensor(wide), away * 2.0 ** (request.scale - 3), away)
        - 2.0**request.scale
    )


def _zeros(request: DrawRequest) -> torch.Tensor:
    """About half of the slices along the first dimension; a vector becomes all zeros.

    About half of the rows that are left begin or end with zeros, as padded ones do; in some of the
    others every other element is zero, at random places, as after a ReLU.
    """
    made = request.wide
    if made.dim() < 2 or made.shape[0] < 2:
        return torch.zeros_like(made)
    zero = request.chosen(0.5, made.shape[:1])
    empty, sparse = torch.randperm(len(zero), generator=request.generator)[:2].tolist()
    zero[empty], zero[sparse] = True, False
    hidden = padded_rows(made.shape, request.generator)
    hidden[sparse] = False
    hidden |= scattered_places(made.shape, sparse, request.generator)
    made = made.masked_fill(hidden, 0.0)
    return made.masked_fill(zero.view(-1, *(1,) * (made.dim() - 1)), 0.0)


def _signed_zeros(request: DrawRequest) -> torch.Tensor:
    """Zeros of both signs: all that lies outside a band, in corners or beside blocks, and a few.

    In a third of the rows they are the largest, in a third the smallest values: of equal ones the
    first counts, whatever its sign is.
    """
    shape = request.own.shape
    zero = zero_places(shape, request.generator) | request.chosen(SCATTERED_SHARE)
    side = torch.randint(
        -1, 2, (*shape[:-1], *(1 for _ in shape[-1:])), generator=request.generator
    )
    value = torch.where(side == 0, request.wide, side * request.wide.abs())
    return torch.where(zero, request.signs() * 0.0, value)


def _subnormal(request: DrawRequest) -> torch.Tensor:
    """Half of the own values, an eighth of the smallest normal number times as large."""
    tiny = torch.finfo(request.own.dtype).smallest_normal / 8
    return torch.where(request.chosen(0.5), request.wide * tiny, request.wide)


def _ties(request: DrawRequest) -> torch.Tensor:
    """Five values of a dyadic grid, so that maxima and sums tie exactly; some rows of one value."""
    shape = request.own.shape
    made = torch.randint(-2, 3, shape, generator=request.generator).double() / 2
    if made.dim() < 2:
        return made
    constant = request.chosen(CONSTANT_SHARE, torch.Size((*shape[:-1], 1)))
    return torch.where(constant, made[..., :1], made)


def _blocks(request: DrawRequest) -> torch.Tensor:
    """The own draw with a few blocks, at random places, 8 to 32 times as large.

    With a scale a quarter of the rows are the row before them but for one element, and a quarter
    are in order but for two neighbours.
    """
    own = request.own
    made = request.wide.flatten().clone()
    length = max(1, min(made.numel() // 8, own.shape[-1] if own.dim() else 1))
    for _ in range(3):
        start = request.below(made.numel() - length + 1)
        made[start : start + length] *= request.between(8, 32)
    if request.scale and own.dim() > 1 and own.numel():
        _nearly_alike(made.view(-1, own.shape[-1]), request)
        _nearly_sorted(made.view(-1, own.shape[-1]), request)
    return made.view(own.shape)


def _nearly_alike(rows: torch.Tensor, request: DrawRequest) -> None:
    """Every second of four rows becomes the first of them, but for one element."""
    twins = rows[1::4]
    twins.copy_(rows[0::4][: len(twins)])
    places = torch.randint(0, rows.shape[1], (len(twins), 1), generator=request.generator)
    twins.scatter_(1, places, NEARLY * twins.abs().amax(1, keepdim=True))


def _nearly_sorted(rows: torch.Tensor, request: DrawRequest) -> None:
    """The third of four rows rises or falls, but for two neighbours that changed places."""
    width = rows.shape[1]
    if not 2 <= width <= LONGEST_SORTED:
        return
    ordered = rows[2::4].sort(-1).values
    falling = request.chosen(0.5, torch.Size((len(ordered), 1)))
    ordered = torch.where(falling, ordered.flip(-1), ordered)
    place = torch.randint(0, width - 1, (len(ordered), 1), generator=request.generator)
    pair = torch.cat([place, place + 1], 1)
    rows[2::4] = ordered.scatter(1, pair, ordered.gather(1, pair.flip(1)))


def _unit(request: DrawRequest) -> torch.Tensor:
    """From 0 to 1, as pixels and probabilities are."""
    return torch.rand(request.own.shape, generator=request.generator, dtype=torch.float64)


def _whole(request: DrawRequest) -> torch.Tensor:
    """Whole numbers from 1 to 2^scale - 1, as counts and prices are."""
    shape, most = request.own.shape, 1 << request.scale
    return torch.randint(1, most, shape, generator=request.generator).double()


def _far_end(request: DrawRequest) -> torch.Tensor:
    """The first or the last number of each row is 2^scale, far from the others."""
    made = normal(request)
    rows = made.view(-1, made.shape[-1])
    last = request.chosen(0.5, rows.shape[:1])
    rows[last, -1] = 2.0**request.scale
    rows[~last, 0] = 2.0**request.scale
    return made


_KINDS: tuple[tuple[Callable[[DrawRequest], torch.Tensor], int], ...] = (
    (_large, 5),
    (_offset, 8),
    (_negative, 8),
    (_small, -10),
    (_unit, 0),
    (_whole, 8),
    (_far_end, 9),
)


def _kinds(request: DrawRequest) -> torch.Tensor:
    """What a path for large inputs was perhaps never tried on, row by row; scaled by 2^scale."""
    made = normal(request)
    rows = made.view(-1, made.shape[-1]) if made.dim() > 1 else made.view(-1, 1)
    for turn, (draw, scale) in enumerate(_KINDS):
        part = rows[turn :: len(_KINDS)]
        if part.numel():
            part.copy_(draw(replace(request, own=part, scale=scale)))
    return made * 2.0**request.scale


DRAWERS: dict[Distribution, Callable[[DrawRequest], torch.Tensor]] = {
    Distribution.NORMAL: normal,
    Distribution.UNIFORM: _uniform,
    Distribution.OUTLIER: _outlier,
    Distribution.OFFSET: _offset,
    Distribution.KINDS: _kinds,
    Distribution.OPPOSED: _opposed,
    Distribution.LARGE: _large,
    Distribution.SMALL: _small,
    Distribution.DYADIC: _dyadic,
    Distribution.NEGATIVE: _negative,
    Distribution.ZEROS: _zeros,
    Distribution.SIGNED_ZEROS: _signed_zeros,
    Distribution.SUBNORMAL: _subnormal,
    Distribution.TIES: _ties,
    Distribution.BLOCKS: _blocks,
}
