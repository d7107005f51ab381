"""Correlation of draws at every distance, and how many values they take.

A view of draws is a sequence in [-1, 1] whose elements have mean zero and are independent, whatever
the law: (came - chance), or a function of a continuous draw's place in its distribution.

    S(L) = sum of x(i) y(i + L),  a sum of martingale differences of size at most 1
    P(|S(L)| >= t) <= 2 exp(-t^2 / 2n)                           (Azuma)

The rule: the largest |S| over all distances is held against that bound with a false alarm divided
by their number. So who repeats a stretch of its draws, within a call or from one call to another,
at whatever distance, is found where the stretch is long enough to show.

Values: n draws of a law of m equally likely values have m (1 - (1 - 1/m)^n) distinct ones in the
mean, and changing one draw changes that number by at most one (McDiarmid, exp(-2 t^2 / n)).
"""

from __future__ import annotations

from math import expm1, log, log1p

import torch

_LONGEST = 1 << 18  # draws of a sequence that are compared
_ENOUGH = torch.float32  # transforms of the longest err by 0.3, and the bound is some thousands
_LEAST = 64  # draws of which a correlation is asked
LEVELS = 1 << 16  # values that a continuous draw must be able to take, at least
_ALIKE = 2.0**-22  # standard deviations: nearer draws are taken for the same value


class DrawView:
    """One view of the draws of a call; its transform is made once, for every comparison."""

    def __init__(self, values: torch.Tensor) -> None:
        self.values = values
        self._transform: torch.Tensor | None = None
        self._size = 0

    @property
    def count(self) -> int:
        """Draws that are compared."""
        return min(self.values.numel(), _LONGEST)

    def transform(self, size: int) -> torch.Tensor:
        """Of the compared draws, filled up with zeros to a size."""
        if self._transform is None or self._size != size:
            self._transform = torch.fft.rfft(self.values[:_LONGEST].to(_ENOUGH), size)
            self._size = size
        return self._transform


def correlated(one: DrawView, other: DrawView | None, limit: float) -> tuple[float, int]:
    """The largest |S| in shares of its bound, and at which distance.

    Without `other` a sequence is held against itself, and the distance zero is left out. `limit`
    is log(2 / false alarm).
    """
    then = other or one
    count = min(one.count, then.count)
    if count < _LEAST:
        return 0.0, 0
    size = 1 << (2 * max(one.count, then.count) - 1).bit_length()  # transforms of these are quick
    sums = torch.fft.irfft(one.transform(size).conj() * then.transform(size), size)
    if other is None:
        sums = sums[: one.count]
        sums[0] = 0.0
    worst = _farthest(sums)
    bound = 2.0 * count * (limit + log(sums.numel()))
    distance = worst if worst <= size // 2 else worst - size
    return float(sums[worst]) ** 2 / bound, distance


def _farthest(values: torch.Tensor) -> int:
    """Where the largest size stands; a maximum is much quicker than its place."""
    low, high = torch.aminmax(values)
    end = low if float(-low) > float(high) else high
    places = (values == end).nonzero()
    return int(places[0]) if places.numel() else 0


def collisions(draws: torch.Tensor, limit: float) -> tuple[float, int]:
    """Share of what chance allows for draws of few distinct values, and how many those are."""
    count = draws.numel()
    if count < _LEAST:
        return 0.0, count
    ordered = draws.sort().values
    distinct = 1 + int((ordered.diff() > _ALIKE).sum())
    expected = -LEVELS * expm1(count * log1p(-1.0 / LEVELS))
    missing = max(0.0, expected - distinct)
    return 2.0 * missing**2 / count / limit, distinct
