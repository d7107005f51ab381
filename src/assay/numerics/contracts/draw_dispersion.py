"""DrawDispersion: how the sums of whole calls scatter around what is expected of them.

    S(c) = sum of the centred draws of call c,  P(c) the sum of their sub-Gaussian proxies
    T = sum of S(c)^2 / P(c) over m calls;  P(T >= t) <= exp(-(t - m - m ln(t / m)) / 2)

Who draws a part and copies it, wherever the copies lie, makes sums that scatter too far; who fills
up with opposites makes sums that hardly scatter at all. No place is compared with any other, so no
order of the copies hides them.

The rule: both bounds hold for every number of calls. The proxy of a draw with chance q is
(1 - 2q) / (2 ln((1 - q) / q)) (Kearns and Saul), of a number that is uniform on [-1, 1] it is 1/3.
That a sum lies within a twentieth of its standard deviation has a chance of at most
0.04 + 0.95 r / sqrt(n), with r = E|x|^3 / sigma^3 (Berry and Esseen).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, sqrt

import torch

_NEAR = 0.05  # standard deviations
_NEAR_CHANCE = 0.04  # of a normal number
_BERRY_ESSEEN = 0.95  # twice 0.4748: an interval has two ends
_LEAST_DRAWS = 1024  # of a call that counts
UNIFORM_PROXY = 1.0 / 3.0
_UNIFORM_SKEW = 0.25 / UNIFORM_PROXY**1.5


@dataclass(frozen=True)
class CallSum:
    """The sum of the centred draws of one call, and what it may be."""

    total: float
    proxy: float
    variance: float
    near_chance: float  # that it lies near zero, at most

    @property
    def near(self) -> bool:
        """Whether it hardly differs from what is expected."""
        return abs(self.total) < _NEAR * sqrt(self.variance)


def uniform_sum(view: torch.Tensor) -> CallSum | None:
    """Of numbers that are uniform on [-1, 1]; those that are zero are not known."""
    count = int((view != 0.0).sum())
    if count < _LEAST_DRAWS:
        return None
    near = _NEAR_CHANCE + _BERRY_ESSEEN * _UNIFORM_SKEW / sqrt(count)
    return CallSum(float(view.sum()), count * UNIFORM_PROXY, count * UNIFORM_PROXY, near)


def binary_sum(came: torch.Tensor, chance: torch.Tensor) -> CallSum | None:
    """Of yes-or-no draws with these chances."""
    open_ = (chance > 0.0) & (chance < 1.0)
    q, total = chance[open_], came[open_].double() - chance[open_]
    if q.numel() < _LEAST_DRAWS:
        return None
    each = q * (1.0 - q)
    variance, third = float(each.sum()), float((each * (q.square() + (1.0 - q).square())).sum())
    near = _NEAR_CHANCE + _BERRY_ESSEEN * third / variance**1.5
    return CallSum(float(total.sum()), float(binary_proxies(q).sum()), variance, near)


def even_sum(count: int, total: int, q: float) -> CallSum | None:
    """The same of draws that all have one chance, of which so many came."""
    if total < _LEAST_DRAWS or not 0.0 < q < 1.0:
        return None
    variance, skew = total * q * (1.0 - q), q**2 + (1.0 - q) ** 2
    near = _NEAR_CHANCE + _BERRY_ESSEEN * skew / sqrt(variance)
    return CallSum(count - total * q, total * even_proxy(q), variance, near)


def even_proxy(q: float) -> float:
    """Of a draw with this chance; nothing is open at 0 and at 1."""
    if not 0.0 < q < 1.0:
        return 0.0
    return float(binary_proxies(torch.tensor([q], dtype=torch.float64)))


def binary_proxies(q: torch.Tensor) -> torch.Tensor:
    """Kearns and Saul's, by chance; a quarter at one half, where the fraction has a limit."""
    apart = (q - 0.5).abs() > 1e-6
    safe = torch.where(apart, q, 0.25)
    exact = (1.0 - 2.0 * safe) / (2.0 * ((1.0 - safe) / safe).log())
    return torch.where(apart, exact, 0.25)


@dataclass
class DrawDispersion:
    """The sums of all calls so far, of one view of the draws."""

    _sums: list[CallSum] = field(default_factory=list)

    def add(self, one: CallSum | None) -> None:
        """One more call; None where it has too few draws."""
        if one is not None:
            self._sums.append(one)

    @property
    def calls(self) -> int:
        """Calls that count."""
        return len(self._sums)

    @property
    def squares(self) -> float:
        """T, which is about one for each call."""
        return sum(one.total**2 / one.proxy for one in self._sums)

    def too_far(self) -> float:
        """How unlikely it is that the sums scatter so far, as -log of a bound of the chance."""
        calls, squares = self.calls, self.squares
        if not calls or squares <= calls:
            return 0.0
        return (squares - calls - calls * log(squares / calls)) / 2.0

    def near(self) -> tuple[int, float]:
        """Calls whose sum is nearly what is expected, and the mean chance of that."""
        chance = sum(one.near_chance for one in self._sums) / max(1, self.calls)
        return sum(one.near for one in self._sums), min(1.0, chance)
