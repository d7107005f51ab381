"""Draws: what a random output must look like, given its inputs.

Every law is reduced to independent yes-or-no draws with known chances (kept or dropped, one or
zero, above or below the middle). A test counts k of n against their mean chance q: k/n or anything
beyond it has a chance of at most 2 exp(-n KL(k/n, q)), for unequal chances too (Hoeffding):

    support        every output is a value that the law can give
    rate           how many were kept, in all and for each tenth of the chances
    independence   how many of n disjoint pairs, at several distances, differ
    distribution   for continuous draws, by the Dvoretzky-Kiefer-Wolfowitz bound 2 exp(-2 n D²)
    tails          how many lie beyond 2.5, 3, 3.5 and 4 standard deviations, or next to the ends of
                   an interval, which D hardly shows
    repetition     at every distance within a call and between calls (draw_correlation.py)
    dispersion     how far the sums of whole calls scatter (draw_dispersion.py)
    prediction     whether operand, place or earlier calls tell a draw (draw_prediction.py)
    dependence     three and four draws of which any two are independent (draw_dependence.py)
    values         how many distinct ones a continuous draw takes (draw_correlation.py)

The rule: nobody has to draw from torch's own stream, or from any other. One test raises a false
alarm with a chance of at most 2^-44; an evaluation makes fewer than 10^6 tests, so that an honest
kernel is refused less than once in ten million evaluations.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import torch

from assay.data.contract import Law
from assay.numerics.budget.rounding import real_dtype, ulp
from assay.numerics.contracts.draw_correlation import DrawView, collisions, correlated
from assay.numerics.contracts.draw_dependence import dependent
from assay.numerics.contracts.draw_dispersion import (
    UNIFORM_PROXY,
    CallSum,
    binary_proxies,
    binary_sum,
    even_proxy,
    even_sum,
    uniform_sum,
)
from assay.numerics.contracts.draw_prediction import CentredDraws

FALSE_ALARM = 2.0**-44  # of one test
LIMIT = log(2.0 / FALSE_ALARM)
_TENTHS = 10  # parts of equal size, by chance
_MOST_PAIRS = 1 << 16  # of draws at one distance
_FARTHEST = 10.0  # standard deviations: a chance of 2^-75
_FINE = 2.0**-22  # of the noise: where numbers lie closer, each draw has a value of its own
_SHARP = 2.0**-10  # of the noise: numbers so close move hardly a draw over the border of a tail
_TAILS = (2.5, 3.0, 3.5, 4.0)  # standard deviations
_ENDS = (2.0**-3, 2.0**-6, 2.0**-9, 2.0**-12)  # of the unit interval
_CONTINUOUS = (Law.NORMAL, Law.UNIFORM)
_COARSE = 2.0**-4  # of the noise: where numbers lie farther apart, it is lost in their rounding


@dataclass(frozen=True)
class Finding:
    """One test: its name and which share of what chance allows it used."""

    name: str
    share: float
    text: str = ""


@dataclass(frozen=True)
class BinaryDraws:
    """Independent draws: what came, with which chance, and which of them count."""

    came: torch.Tensor  # bool, flat
    chance: torch.Tensor  # float64, flat; views of one number where all are alike
    counts: torch.Tensor  # bool, flat
    even: float | None = None  # the chance of each, where all have the same

    def halves(self, distance: int) -> tuple[BinaryDraws, BinaryDraws]:
        """Disjoint pairs at a distance: the first of each, and the second."""
        a, b, c = (_halves(one, distance) for one in (self.came, self.chance, self.counts))
        return BinaryDraws(a[0], b[0], c[0], self.even), BinaryDraws(a[1], b[1], c[1], self.even)


@dataclass(frozen=True)
class DrawnCall:
    """The draws of one output, in every form that a test asks for."""

    binary: BinaryDraws
    strange: torch.Tensor  # bool, flat: where the output is nothing that the law can give
    views: tuple[DrawView, ...]


@dataclass(frozen=True)
class Draws:
    """A law and what it is applied to."""

    law: Law
    rate: float
    operand: torch.Tensor  # float64
    dtype: torch.dtype  # of the output

    def binary_draws(self, actual: torch.Tensor) -> tuple[BinaryDraws, torch.Tensor]:
        """The yes-or-no draws behind an output, and where it is nothing the law can give."""
        got, operand = actual.detach().double().reshape(-1), self.operand.reshape(-1)
        known = operand.isfinite()
        if self.law is Law.UNIFORM:
            return self._uniform(got)
        if self.law is Law.DROPOUT:
            return self._dropout(got, operand, known)
        if self.law is Law.BERNOULLI:
            strange = known & (got != 0.0) & (got != 1.0)
            return BinaryDraws(got == 1.0, operand.clamp(0.0, 1.0), known), strange
        return self._normal(got, operand, known)

    def _uniform(self, got: torch.Tensor) -> tuple[BinaryDraws, torch.Tensor]:
        """The input is not looked at. What is rounded to few digits may reach one."""
        step = torch.finfo(self.dtype).eps
        highest = 1.0 if step > _FINE else 1.0 - step / 2
        possible = (got >= 0.0) & (got <= highest)
        every = torch.ones_like(possible)
        return BinaryDraws(got >= 0.5, _alike(0.5, got), every, 0.5), ~possible

    def _normal(
        self, got: torch.Tensor, operand: torch.Tensor, known: torch.Tensor
    ) -> tuple[BinaryDraws, torch.Tensor]:
        spacing = ulp(operand, real_dtype(self.dtype))
        possible = (got - operand).abs() <= _FARTHEST * self.rate + spacing
        told = known & self._fine(operand) & (got != operand)  # of a tie nobody knows the sign
        return BinaryDraws(got > operand, _alike(0.5, got), told, 0.5), known & ~possible

    def _fine(self, operand: torch.Tensor) -> torch.Tensor:
        """Where the output's numbers lie close enough for noise to be seen."""
        return ulp(operand, real_dtype(self.dtype)) <= _COARSE * self.rate

    def _dropout(
        self, got: torch.Tensor, operand: torch.Tensor, known: torch.Tensor
    ) -> tuple[BinaryDraws, torch.Tensor]:
        kept_value = operand / (1.0 - self.rate) if self.rate < 1.0 else torch.zeros_like(operand)
        budget = 4 * ulp(kept_value, real_dtype(self.dtype)) + torch.finfo(torch.float32).tiny
        kept = (got - kept_value).abs() <= budget
        strange = known & ~kept & (got != 0.0)
        told = known & (kept_value.abs() > budget)  # of a zero nobody knows whether it was kept
        even = 1.0 - self.rate
        return BinaryDraws(kept, _alike(even, operand), told, even), strange

    def drawn(self, actual: torch.Tensor) -> DrawnCall:
        """Everything that the tests of one output begin from, made once."""
        binary_draws, strange = self.binary_draws(actual)
        return DrawnCall(binary_draws, strange, self._views(actual, binary_draws))

    def findings(self, actual: torch.Tensor) -> list[Finding]:
        """Every test of one output."""
        drawn = self.drawn(actual)
        strange = drawn.strange
        if bool(strange.any()):
            place = int(strange.nonzero()[0])
            got, given = actual.reshape(-1)[place].item(), self.operand.reshape(-1)[place].item()
            text = (
                f"{int(strange.sum())} values that the law cannot give: {got:.6g} for {given:.6g}"
            )
            return [Finding("support", float("inf"), text)]
        tests = [*_rates(drawn.binary), *_pairs(drawn.binary, self._distances())]
        tests += [_repetition(view) for view in drawn.views]
        tests += self._dependence(drawn)
        if self.law is Law.NORMAL:
            tests += [self._distribution(actual), self._values(actual), *self._tails(actual)]
        elif self.law is Law.UNIFORM:
            tests += [self._evenness(actual), *self._ends(actual)]
            tests += [self._values_of(actual.double().reshape(-1))]
        return tests

    def _views(self, actual: torch.Tensor, draws: BinaryDraws) -> tuple[DrawView, ...]:
        """Sequences of independent numbers in [-1, 1] of mean zero; zero where nothing is known."""
        if self.law is Law.UNIFORM:
            even = (2.0 * actual.double().reshape(-1) - 1.0).clamp(-1.0, 1.0)
            return DrawView(even), DrawView(2.0 * even.abs() - 1.0)
        if self.law is not Law.NORMAL:
            return (DrawView(draws.came.double().sub_(draws.chance).mul_(draws.counts)),)
        operand = self.operand.reshape(-1)
        known = operand.isfinite() & self._fine(operand)
        place = torch.special.ndtr((actual.double().reshape(-1) - operand) / self.rate)
        signed = torch.where(known, 2.0 * place - 1.0, 0.0)
        return DrawView(signed), DrawView(torch.where(known, 2.0 * signed.abs() - 1.0, 0.0))

    def _dependence(self, drawn: DrawnCall) -> list[Finding]:
        """Of neighbours, and of what lies in one column."""
        rows = self.operand.shape[-1] if self.operand.dim() > 1 else 0
        return [
            _hanging_together(draws, step)
            for draws in self.centred(drawn)
            for step in sorted({1, rows} - {0})
        ]

    def sums(self, drawn: DrawnCall) -> tuple[CallSum | None, ...]:
        """Of each view, the sum of all that is known."""
        if self.law in _CONTINUOUS:
            return tuple(uniform_sum(view.values) for view in drawn.views)
        draws = drawn.binary
        if draws.even is None:
            return (binary_sum(draws.came[draws.counts], draws.chance[draws.counts]),)
        count, total = _number(draws.came & draws.counts), _number(draws.counts)
        return (even_sum(count, total, draws.even),)

    def centred(self, drawn: DrawnCall) -> tuple[CentredDraws, ...]:
        """Every view with the proxies of its draws."""
        views = [view.values for view in drawn.views]
        if self.law in _CONTINUOUS:
            return tuple(CentredDraws(v, (v != 0.0).double() * UNIFORM_PROXY) for v in views)
        draws = drawn.binary
        if draws.even is not None:
            return (CentredDraws(views[0], draws.counts.double().mul_(even_proxy(draws.even))),)
        open_ = draws.counts & (draws.chance > 0.0) & (draws.chance < 1.0)
        proxies = torch.zeros_like(draws.chance)
        proxies[open_] = binary_proxies(draws.chance[open_])
        return (CentredDraws(views[0], proxies),)

    def _values(self, actual: torch.Tensor) -> Finding:
        operand, got = self.operand.reshape(-1), actual.double().reshape(-1)
        coarsest = torch.maximum(operand.abs(), got.abs())
        known = operand.isfinite() & (ulp(coarsest, real_dtype(self.dtype)) <= _FINE * self.rate)
        return self._values_of((got[known] - operand[known]) / self.rate)

    def _values_of(self, draws: torch.Tensor) -> Finding:
        if self.law is Law.UNIFORM and torch.finfo(self.dtype).eps > _FINE:
            return Finding("values", 0.0)
        share, distinct = collisions(draws, LIMIT)
        return Finding("values", share, f"{draws.numel()} draws take {distinct} values")

    def _tails(self, actual: torch.Tensor) -> list[Finding]:
        """Either side. Where numbers lie too far apart nothing is asked; the operand alone says
        where, for who leaves out large results has no tails left.
        """
        operand, got = self.operand.reshape(-1), actual.double().reshape(-1)
        coarsest = ulp(operand.abs() + _FARTHEST * self.rate, real_dtype(self.dtype))
        known = operand.isfinite() & (coarsest <= _SHARP * self.rate)
        draws = (got[known] - operand[known]) / self.rate
        found = []
        for far in _TAILS:
            chance = float(torch.special.ndtr(torch.tensor(-far, dtype=torch.float64)))
            for beyond in (draws > far, draws < -far):
                count = int(beyond.sum())
                text = f"{count} of {draws.numel()} draws lie beyond {far:g} standard deviations"
                share = surprise(count, draws.numel(), chance)
                found.append(Finding("tails", share, f"{text}, expected {chance * len(draws):.1f}"))
        return found

    def _distances(self) -> list[int]:
        """1, 2, 4 ..., and what a row, a plane and so on are long."""
        total = self.operand.numel()
        steps = {1 << k for k in range(max(1, total).bit_length() - 1)}
        steps |= {self.operand.shape[i:].numel() for i in range(1, self.operand.dim())}
        return sorted(step for step in steps if 0 < step <= total // 2)

    def _distribution(self, actual: torch.Tensor) -> Finding:
        operand = self.operand.reshape(-1)
        known = operand.isfinite() & self._fine(operand)
        operand = operand[known]
        draws = ((actual.double().reshape(-1)[known] - operand) / self.rate).sort().values
        count = draws.numel()
        if count == 0:
            return Finding("distribution", 0.0)
        law = torch.special.ndtr(draws)
        steps = torch.arange(count + 1, dtype=torch.float64) / count
        apart = torch.maximum((law - steps[:-1]).abs().max(), (law - steps[1:]).abs().max())
        blur = 0.4 * float(ulp(operand, real_dtype(self.dtype)).max()) / self.rate  # of rounding
        excess = max(0.0, float(apart) - blur)
        text = f"the draws are {float(apart):.3g} away from the normal distribution"
        return Finding("distribution", 2 * count * excess**2 / LIMIT, text)

    def _ends(self, actual: torch.Tensor) -> list[Finding]:
        """How many draws lie near zero and near one, where rounding does not move them there."""
        if torch.finfo(self.dtype).eps > _FINE:
            return []
        draws, found = actual.double().reshape(-1), []
        for width in _ENDS:
            for end, near in (("zero", draws < width), ("one", draws >= 1.0 - width)):
                count, expected = int(near.sum()), width * draws.numel()
                text = f"{count} draws lie within {width:g} of {end}, expected {expected:.1f}"
                found.append(Finding("tails", surprise(count, draws.numel(), width), text))
        return found

    def _evenness(self, actual: torch.Tensor) -> Finding:
        draws = actual.double().reshape(-1).sort().values
        if draws.numel() == 0:
            return Finding("distribution", 0.0)
        steps = torch.arange(draws.numel() + 1, dtype=torch.float64) / draws.numel()
        apart = torch.maximum((draws - steps[:-1]).abs().max(), (draws - steps[1:]).abs().max())
        excess = max(0.0, float(apart) - float(torch.finfo(self.dtype).eps))  # of rounding
        text = f"the draws are {float(apart):.3g} away from the uniform distribution"
        return Finding("distribution", 2 * draws.numel() * excess**2 / LIMIT, text)


def surprise(count: int, total: int, chance: float) -> float:
    """How unlikely, n KL(k/n, q), in shares of what one false alarm in 2^44 allows."""
    if total == 0:
        return 0.0
    share = count / total
    chance = min(max(chance, 1e-300), 1.0 - 1e-16)
    there = share * log(share / chance) if share > 0.0 else 0.0
    rest = (1 - share) * log((1 - share) / (1 - chance)) if share < 1.0 else 0.0
    return total * (there + rest) / LIMIT


def _alike(chance: float, like: torch.Tensor) -> torch.Tensor:
    """One chance for each, in the memory of one."""
    return like.new_tensor(chance).expand(like.shape)


def _number(which: torch.Tensor) -> int:
    return int(torch.count_nonzero(which))


def _rates(binary_draws: BinaryDraws) -> list[Finding]:
    if binary_draws.even is not None:
        count = _number(binary_draws.came & binary_draws.counts)
        return [_rate(count, _number(binary_draws.counts), binary_draws.even)]
    came, chance = binary_draws.came[binary_draws.counts], binary_draws.chance[binary_draws.counts]
    found = [_rate_of(came, chance)]
    if chance.numel() and float(chance.max()) > float(chance.min()):
        parts = zip(
            came[chance.argsort()].tensor_split(_TENTHS),
            chance.sort().values.tensor_split(_TENTHS),
            strict=True,
        )
        found += [_rate_of(a, b) for a, b in parts]
    return found


def _rate_of(came: torch.Tensor, chance: torch.Tensor) -> Finding:
    return _rate(_number(came), came.numel(), float(chance.mean()) if came.numel() else 0.0)


def _rate(count: int, total: int, mean: float) -> Finding:
    text = f"{count} of {total} were kept, expected {mean * total:.1f}"
    return Finding("rate", surprise(count, total, mean), text)


def _pairs(binary_draws: BinaryDraws, distances: list[int]) -> list[Finding]:
    """Disjoint pairs at each distance: blocks of that length, every other one beside the next."""
    found = []
    for distance in distances:
        count, total, mean = differing(*binary_draws.halves(distance))
        text = (
            f"{count} of {total} pairs at distance {distance} differ, expected {mean * total:.1f}"
        )
        found.append(Finding("independence", surprise(count, total, mean), text))
    return found


def differing(one: BinaryDraws, other: BinaryDraws) -> tuple[int, int, float]:
    """Pairs that differ, pairs that count, and the mean chance of independent ones to differ."""
    both = one.counts & other.counts
    total, count = _number(both), _number((one.came ^ other.came) & both)
    if one.even is not None and other.even is not None:
        return count, total, one.even * (1.0 - other.even) + other.even * (1.0 - one.even)
    p, q = one.chance[both], other.chance[both]
    return count, total, float((p * (1 - q) + q * (1 - p)).mean()) if total else 0.0


def _halves(values: torch.Tensor, distance: int) -> tuple[torch.Tensor, torch.Tensor]:
    if distance > _MOST_PAIRS:
        return values[:_MOST_PAIRS], values[distance : distance + _MOST_PAIRS]
    whole = min(values.numel(), 2 * _MOST_PAIRS) // (2 * distance) * 2 * distance
    blocks = values[:whole].reshape(-1, 2, distance)
    return blocks[:, 0].reshape(-1), blocks[:, 1].reshape(-1)


def _repetition(view: DrawView) -> Finding:
    share, distance = correlated(view, None, LIMIT)
    return Finding("repetition", share, f"draws repeat those {distance} places before")


def _hanging_together(draws: CentredDraws, step: int) -> Finding:
    if not draws.proxies.numel():
        return Finding("dependence", 0.0)
    share, many, apart = dependent(draws.values, float(draws.proxies.max()), step, LIMIT)
    text = f"one draw follows from {many - 1} others, {step} and {apart} places apart"
    return Finding("dependence", share, text)
