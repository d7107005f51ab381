"""Intervals on samples with known answers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from assay.data.observations.measurement import Difference
from assay.errors import HostError
from assay.timing.statistics.intervals import (
    Interval,
    difference,
    median_interval,
    needs_more,
    paired_ratio,
    widened,
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


def test_widening_adds_squares_on_either_side() -> None:
    wide = widened(Interval(mid=2.0, low=1.94, high=2.0, rounds=9), 0.04)
    assert (wide.mid, wide.low, wide.high) == pytest.approx((2.0, 1.9, 2.08))
    assert widened(wide, 0.0) == wide


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


ROUNDS = 20
NOISE = 0.01  # of one side within a round
DRIFT = 0.19  # of the machine from the first round to the last


def _pair(seed: int, factor: float = 1.0, drift: float = DRIFT) -> tuple[list[float], list[float]]:
    """Baseline and candidate, `factor` times as long, on a machine that slows down and wavers."""
    random = np.random.default_rng(seed)
    machine = np.linspace(1.0, 1.0 + drift, ROUNDS) * random.lognormal(0, 0.05, ROUNDS)
    baseline = 100 * machine * random.lognormal(0, NOISE, ROUNDS)
    return list(baseline), list(100 * factor * machine * random.lognormal(0, NOISE, ROUNDS))


def test_identical_code_against_itself() -> None:
    """Of 400 pairs at 95 %, fewer than 370 hits come in 1.1 % of cases (binomial)."""
    intervals = [paired_ratio(*_pair(seed), seed) for seed in range(400)]
    assert sum(i.low <= 1.0 <= i.high for i in intervals) >= 370
    widths = [i.half_width for i in intervals]
    assert 0.005 < float(np.median(widths)) < 0.01  # of 1.4 % noise of a ratio over 20 rounds
    shown = [difference(i) for i in intervals]
    assert sum(word is not Difference.NOT_SHOWN for word in shown) <= 30


def test_two_percent_slower_is_called_slower_and_never_faster() -> None:
    words = [difference(paired_ratio(*_pair(1000 + n, factor=1.02), n)) for n in range(100)]
    assert words.count(Difference.SLOWER) >= 95
    assert words.count(Difference.FASTER) == 0


def test_pairing_by_rounds_removes_a_drift_of_nineteen_percent() -> None:
    """A time alone is uncertain by the drift; the ratio is as narrow as on a machine at rest."""
    drifting, still = _pair(7), _pair(7, drift=0.0)
    ratio, at_rest = paired_ratio(*drifting, seed=0), paired_ratio(*still, seed=0)
    assert ratio.mid == pytest.approx(at_rest.mid) and ratio.low == pytest.approx(at_rest.low)
    assert ratio.half_width < 0.015 < 0.03 < median_interval(drifting[1]).half_width
    shuffled = np.random.default_rng(0).permutation(drifting[0])
    assert paired_ratio(list(shuffled), drifting[1], seed=0).half_width > 3 * ratio.half_width
