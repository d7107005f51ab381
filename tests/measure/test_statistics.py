"""Intervals on samples with known answers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from assay.errors import HostError
from assay.measure.statistics import (
    Difference,
    Interval,
    difference,
    median_interval,
    needs_more,
    paired_ratio,
)

Draw = Callable[[np.random.Generator, int], np.ndarray]
NOISES: dict[str, Draw] = {
    "gaussian": lambda random, n: 1 + 0.02 * random.standard_normal(n),
    "skewed": lambda random, n: np.exp(0.3 * random.standard_normal(n)),
    "heavy": lambda random, n: np.exp(0.02 * random.standard_cauchy(n).clip(-50, 50)),
}


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("rounds", [6, 9, 40])
def test_coverage_is_at_least_what_is_stated(noise: str, rounds: int) -> None:
    """200 experiments with speedup 2: at 95 % fewer than 184 hits come twice in 100 times."""
    random = np.random.default_rng(rounds)
    hits = 0
    for seed in range(200):
        shared = random.lognormal(0, 0.5, rounds)  # a drift both sides feel
        candidate = 10 * shared
        baseline = 20 * shared * NOISES[noise](random, rounds)
        interval = paired_ratio(list(baseline), list(candidate), seed)
        hits += interval.low <= 2.0 <= interval.high
    assert hits >= 184


def test_exact_samples() -> None:
    interval = paired_ratio([20.0] * 8, [10.0] * 8, seed=0)
    assert (interval.mid, interval.low, interval.high) == (2.0, 2.0, 2.0)
    assert difference(interval) is Difference.FASTER


def test_pairing_removes_common_drift() -> None:
    drift = np.random.default_rng(0).lognormal(0, 1.0, 40)
    interval = paired_ratio(list(11 * drift), list(10 * drift), seed=0)
    assert interval.half_width < 1e-9 and interval.mid == pytest.approx(1.1)


def test_order_statistics_of_a_known_sample() -> None:
    interval = median_interval([float(i) for i in range(1, 10)])
    assert interval.mid == 5.0
    assert interval.low <= 2.0 and interval.high >= 8.0  # ranks 2 and 8 cover with 96.1 %
    assert interval.low >= 1.0 and interval.high <= 9.0


def test_words() -> None:
    assert difference(Interval(1.2, 1.1, 1.3, 20)) is Difference.FASTER
    assert difference(Interval(0.8, 0.7, 0.9, 20)) is Difference.SLOWER
    assert difference(Interval(1.01, 0.99, 1.03, 20)) is Difference.NOT_SHOWN
    assert difference(Interval(1.2, 1.1, 1.3, 3)) is Difference.NOT_SHOWN
    assert str(Difference.NOT_SHOWN) == "no difference shown"


def test_needs_more() -> None:
    assert needs_more(Interval(1.0, 0.9, 1.1, 20), 0.02)
    assert not needs_more(Interval(1.0, 0.99, 1.01, 20), 0.02)
    assert needs_more(Interval(1.0, 1.0, 1.0, 3), 0.02)


def test_bad_samples_are_our_mistake() -> None:
    for baseline, candidate in (([], []), ([1.0, 2.0], [1.0]), ([1.0], [float("nan")])):
        with pytest.raises(HostError):
            paired_ratio(baseline, candidate, seed=0)


def test_same_seed_same_interval() -> None:
    samples = list(np.random.default_rng(1).lognormal(0, 0.1, 15))
    assert median_interval(samples, 4) == median_interval(samples, 4)
