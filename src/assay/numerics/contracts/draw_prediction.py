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

import numpy as np
import torch

_PRIOR = 64.0  # r: about where V begins to tell something
_MOST = 1 << 20  # places of a call
_LEAST = 64
_KEPT_RANKS = 4  # operands, 16 MB each at most


@dataclass(frozen=True)
class CentredDraws:
    """One view of a call's draws: numbers of mean zero, and the proxy of each; zero is unknown."""

    values: torch.Tensor  # flat, float64
    proxies: torch.Tensor


@dataclass(frozen=True)
class OperandRanks:
    """What the order of an operand's elements tells of its draws."""

    operand: torch.Tensor
    size: torch.Tensor
    value: torch.Tensor

    @classmethod
    def of(cls, operand: torch.Tensor) -> OperandRanks:
        """Of the places that count."""
        flat = operand.reshape(-1)[:_MOST]
        return cls(operand, _ranks(flat.abs()), _ranks(flat))


@dataclass
class _Martingale:
    """One kind of g."""

    total: float = 0.0
    variance: float = 0.0

    def add(self, weights: torch.Tensor, draws: CentredDraws) -> None:
        self.total += float(torch.dot(weights, draws.values))
        self.variance += float(torch.dot(weights.square(), draws.proxies))

    def surprise(self) -> float:
        """-ln of the bound of the chance of having come so far."""
        widened = self.variance + _PRIOR
        return self.total**2 / widened / 2.0 - log(widened / _PRIOR) / 2.0


@dataclass
class DrawPrediction:
    """All calls so far, of one view of the draws."""

    _by: dict[str, _Martingale] = field(default_factory=dict)
    _came: dict[tuple[int, ...], tuple[torch.Tensor, int]] = field(default_factory=dict)
    _ranked: list[OperandRanks] = field(default_factory=list)  # of the latest operands

    def add(self, operand: torch.Tensor, draws: CentredDraws) -> None:
        """One more call."""
        flat = operand.reshape(-1)[:_MOST]
        if flat.numel() < _LEAST:
            return
        seen = CentredDraws(draws.values[:_MOST], draws.proxies[:_MOST])
        known, calls = self._came.get(tuple(operand.shape), (torch.zeros_like(seen.values), 0))
        ranks = self._ranks_of(operand)
        predictors = {"size": ranks.size, "value": ranks.value}
        if calls:
            predictors["place"] = known / sqrt(calls)
        for name, weights in predictors.items():
            self._by.setdefault(name, _Martingale()).add(weights, seen)
        self._came[tuple(operand.shape)] = known + seen.values, calls + 1

    def _ranks_of(self, operand: torch.Tensor) -> OperandRanks:
        """Kept for a few operands: many calls are asked with the same one, and sorting is slow."""
        known = [one for one in self._ranked if one.operand is operand]
        ranks = known[0] if known else OperandRanks.of(operand)
        others = [one for one in self._ranked if one.operand is not operand]
        self._ranked = [*others[1 - _KEPT_RANKS :], ranks]
        return ranks

    def surprises(self) -> dict[str, float]:
        """How unlikely it is that each kind tells so much, as -ln of a bound of the chance."""
        return {name: one.surprise() for name, one in self._by.items()}


def _ranks(values: torch.Tensor) -> torch.Tensor:
    """From -1 for the smallest to 1 for the largest."""
    order = np.argsort(values.nan_to_num().float().numpy())  # 55 ms a million; torch takes 120
    ranks = np.empty(values.numel())
    ranks[order] = np.linspace(-1.0, 1.0, values.numel())
    return torch.from_numpy(ranks)
