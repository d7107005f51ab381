"""Sums of whole calls: copies and opposites show wherever they lie."""

from __future__ import annotations

from math import isclose

import torch

from assay.data.contract import Law
from assay.numerics.contracts.draw_dispersion import (
    DrawDispersion,
    binary_sum,
    even_sum,
    uniform_sum,
)
from assay.numerics.contracts.draws_of_calls import dispersed
from assay.numerics.contracts.random_draws import Draws

CALLS, COUNT = 24, 4096


def _kept(seed: int, count: int, rate: float = 0.3) -> torch.Tensor:
    return torch.rand(count, generator=torch.Generator().manual_seed(seed)) >= rate


def _shuffled(values: torch.Tensor, seed: int) -> torch.Tensor:
    return values[torch.randperm(len(values), generator=torch.Generator().manual_seed(seed))]


def _worst(calls: list[torch.Tensor], chance: float = 0.7) -> float:
    sums = DrawDispersion()
    for came in calls:
        sums.add(binary_sum(came, torch.full((len(came),), chance, dtype=torch.float64)))
    return max(finding.share for finding in dispersed(sums))


def test_independent_draws_scatter_as_they_may() -> None:
    for turn in range(20):
        assert _worst([_kept(100 * turn + seed, COUNT) for seed in range(CALLS)]) < 0.6


def test_scattered_copies_of_a_part_are_found() -> None:
    copies = []
    for seed in range(CALLS):
        part = _kept(seed, COUNT // 16)
        copies.append(torch.cat([_shuffled(part, 1000 * seed + turn) for turn in range(16)]))
    assert _worst(copies) > 1.0


def test_opposites_make_sums_that_do_not_scatter() -> None:
    draws = Draws(Law.NORMAL, 0.5, torch.zeros(2 * COUNT, dtype=torch.float64), torch.float32)
    sums, honest = DrawDispersion(), DrawDispersion()
    for seed in range(CALLS):
        half = torch.randn(COUNT, generator=torch.Generator().manual_seed(seed))
        other = torch.randn(COUNT, generator=torch.Generator().manual_seed(500 + seed))
        made = 0.5 * torch.cat([half, -_shuffled(half, seed)])
        sums.add(draws.sums(draws.drawn(made))[0])
        honest.add(draws.sums(draws.drawn(0.5 * torch.cat([half, other])))[0])
    assert max(finding.share for finding in dispersed(sums)) > 1.0
    assert max(finding.share for finding in dispersed(honest)) < 0.6


def test_calls_of_few_draws_do_not_count() -> None:
    few = torch.full((100,), 0.5, dtype=torch.float64)
    assert binary_sum(few > 0.4, few) is None and uniform_sum(few) is None
    sums = DrawDispersion()
    sums.add(None)
    assert sums.calls == 0 and max(finding.share for finding in dispersed(sums)) == 0.0


def test_false_alarms_are_rarer_than_the_bound_says() -> None:
    """At a bound of one in a hundred, of 300 honest runs of eight calls."""
    generator, alarms = torch.Generator().manual_seed(3), 0
    chance = torch.full((1024,), 0.3, dtype=torch.float64)
    for _ in range(300):
        sums = DrawDispersion()
        for _ in range(8):
            sums.add(binary_sum(torch.rand(1024, generator=generator) < 0.3, chance))
        alarms += sums.too_far() > 4.6
    assert alarms <= 6


def test_draws_of_one_chance_are_summed_as_draws_of_many_are() -> None:
    for chance in (0.3, 0.5, 0.7, 0.999):
        came = torch.rand(5000, generator=torch.Generator().manual_seed(3)) < chance
        by_element = binary_sum(came, torch.full((5000,), chance, dtype=torch.float64))
        at_once = even_sum(int(came.sum()), 5000, chance)
        assert by_element is not None and at_once is not None
        for name in ("total", "proxy", "variance", "near_chance"):
            assert isclose(getattr(by_element, name), getattr(at_once, name), abs_tol=1e-8)
    assert even_sum(100, 100, 0.5) is None and even_sum(5000, 5000, 1.0) is None
