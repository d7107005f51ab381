"""Medians and ratios with intervals. The round is the unit: what shares a round shares its noise.

The rule: no figure without its interval, and no interval narrower than the rounds allow. An
interval is the union of the percentile bootstrap and of the order statistics around the median
that cover it with at least 95 % for any distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb, hypot

import numpy as np
from numpy.typing import NDArray

from assay.data.observations.measurement import Difference
from assay.errors import HostError

COVERAGE = 0.95  # of every interval
LEAST_ROUNDS = 6  # with fewer, not even smallest to largest covers the median with 95 %
_RESAMPLES = 2000  # of the bootstrap

Samples = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """A median and where it lies with 95 %."""

    mid: float
    low: float
    high: float
    rounds: int

    @property
    def half_width(self) -> float:
        """Half the interval over its middle."""
        return (self.high - self.low) / 2 / abs(self.mid) if self.mid else float("inf")


def paired_ratio(
    baseline_us: Sequence[float], candidate_us: Sequence[float], seed: int
) -> Interval:
    """The speedup: the median over rounds of baseline / candidate. Above 1 is faster."""
    if len(baseline_us) != len(candidate_us):
        raise HostError(f"{len(baseline_us)} baseline rounds against {len(candidate_us)}")
    ratios = np.asarray(baseline_us, dtype=np.float64) / np.asarray(candidate_us, dtype=np.float64)
    return _interval(ratios, seed)


def median_interval(samples: Sequence[float], seed: int = 0) -> Interval:
    """The median of samples, one a round."""
    return _interval(np.asarray(samples, dtype=np.float64), seed)


def widened(interval: Interval, share: float) -> Interval:
    """For what no number of rounds shows, because it is the same in all of them.

    It has nothing to do with what the rounds scatter by, so the squares add.
    """
    mid, more = interval.mid, interval.mid * share
    low, high = hypot(mid - interval.low, more), hypot(interval.high - mid, more)
    return replace(interval, low=mid - low, high=mid + high)


def needs_more(interval: Interval, target_half_width: float) -> bool:
    """True while the interval is wider than asked for, or too few rounds stand behind it."""
    return interval.rounds < LEAST_ROUNDS or interval.half_width > target_half_width


def difference(speedup: Interval) -> Difference:
    """A difference is shown only where the whole interval lies on one side of 1."""
    if speedup.rounds < LEAST_ROUNDS:
        return Difference.NOT_SHOWN
    if speedup.low > 1.0:
        return Difference.FASTER
    return Difference.SLOWER if speedup.high < 1.0 else Difference.NOT_SHOWN


def _interval(samples: Samples, seed: int) -> Interval:
    if samples.size == 0 or not np.isfinite(samples).all():
        raise HostError("statistics need at least one round, all of them finite")
    low, high = _bootstrap(samples, seed)
    ordered = np.sort(samples)
    rank = _rank(samples.size)
    low, high = min(low, float(ordered[rank])), max(high, float(ordered[-1 - rank]))
    return Interval(float(np.median(samples)), low, high, int(samples.size))


def _bootstrap(samples: Samples, seed: int) -> tuple[float, float]:
    random = np.random.default_rng(seed)
    picks = random.integers(0, samples.size, size=(_RESAMPLES, samples.size))
    medians = np.median(samples[picks], axis=1)
    tail = 100 * (1 - COVERAGE) / 2
    low, high = np.percentile(medians, [tail, 100 - tail])
    return float(low), float(high)


def _rank(count: int) -> int:
    """The largest k for which the k-th smallest to k-th largest still cover the median (from 0)."""
    below, rank = 0.0, 0
    for k in range(count // 2):
        below += comb(count, k) / 2**count
        if 2 * below > 1 - COVERAGE:
            break
        rank = k
    return rank
