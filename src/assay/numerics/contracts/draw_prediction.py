"""DrawPrediction: whether anything that is known before a draw tells how it comes out.

    S = sum of g(i) x(i),  V = sum of g(i)^2 p(i),  over all places of all calls so far

with x the centred draws, p their sub-Gaussian proxies and g any numbers that follow from the
operand, the place and earlier calls. That is a martingale, and for every number of calls at once

    P(S^2 / (V + r) - ln((V + r) / r) >= 2 ln(1 / a)) <= a           (de la Pena, Lai and Shao)

Three kinds of g are asked: the rank of the operand's size, the rank of the operand, and the mean of
what came at the same place in earlier calls of the shape. Who drops small values sooner than large
ones, or even columns sooner than odd ones, or draws in one layer what it drew in another, has a
mask in which nothing shows as long as it is looked at alone.

The rule: g is fixed before the draws are seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, sqrt

import torch

_PRIOR = 64.0  # r: about where V begins to tell something
_MOST = 1 << 20  # places of a call
_LEAST = 64


@dataclass(frozen=True)
class CentredDraws:
    """One view of a call's draws: numbers of mean zero, and the proxy of each; zero is unknown."""

    values: torch.Tensor  # flat, float64
    proxies: torch.Tensor


@dataclass
class _Martingale:
    """One kind of g."""

    total: float = 0.0
    variance: float = 0.0

    def add(self, weights: torch.Tensor, draws: CentredDraws) -> None:
        self.total += float((weights * draws.values).sum())
        self.variance += float((weights.square() * draws.proxies).sum())

    def surprise(self) -> float:
        """-ln of the bound of the chance of having come so far."""
        widened = self.variance + _PRIOR
        return self.total**2 / widened / 2.0 - log(widened / _PRIOR) / 2.0


@dataclass
class DrawPrediction:
    """All calls so far, of one view of the draws."""

    _by: dict[str, _Martingale] = field(default_factory=dict)
    _came: dict[tuple[int, ...], tuple[torch.Tensor, int]] = field(default_factory=dict)

    def add(self, operand: torch.Tensor, draws: CentredDraws) -> None:
        """One more call."""
        flat = operand.reshape(-1)[:_MOST]
        if flat.numel() < _LEAST:
            return
        seen = CentredDraws(draws.values[:_MOST], draws.proxies[:_MOST])
        known, calls = self._came.get(tuple(operand.shape), (torch.zeros_like(seen.values), 0))
        predictors = {"size": _ranks(flat.abs()), "value": _ranks(flat)}
        if calls:
            predictors["place"] = known / sqrt(calls)
        for name, weights in predictors.items():
            self._by.setdefault(name, _Martingale()).add(weights, seen)
        self._came[tuple(operand.shape)] = known + seen.values, calls + 1

    def surprises(self) -> dict[str, float]:
        """How unlikely it is that each kind tells so much, as -ln of a bound of the chance."""
        return {name: one.surprise() for name, one in self._by.items()}


def _ranks(values: torch.Tensor) -> torch.Tensor:
    """From -1 for the smallest to 1 for the largest."""
    order = values.nan_to_num().argsort()
    ranks = torch.empty(values.numel(), dtype=torch.float64)
    ranks[order] = torch.linspace(-1.0, 1.0, values.numel(), dtype=torch.float64)
    return ranks
