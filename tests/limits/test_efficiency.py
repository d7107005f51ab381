"""Scores against a floor: one at it, a half at the baseline, a flag below it."""

from __future__ import annotations

import pytest

from assay.data.limits import Peaks, TaskLimits
from assay.limits.efficiency import efficiency, sol_score

PEAKS = Peaks(name="x", title="X", bytes_per_s=1e12, flops_per_s={"tf32": 1e13})
LIMITS = TaskLimits(
    task="t",
    axes={},
    board="x",
    bytes_read=3_000_000,
    bytes_written=1_000_000,
    flops={"float32": 100_000_000},
    elementwise=0,
    units={"float32": "tf32"},
    memory_us=4.0,
    arithmetic_us=10.0,
)


def test_a_time_of_twice_the_floor() -> None:
    found = efficiency(LIMITS, PEAKS, 20.0, baseline_us=40.0)
    assert (found.sol_fraction, found.violation, found.beats_memory) == (0.5, False, False)
    assert found.bytes_per_s == pytest.approx(2e11) and found.iou == pytest.approx(0.2)
    assert found.flops_per_s == pytest.approx(5e12) and found.mfu == pytest.approx(0.5)
    assert found.sol_score == pytest.approx(0.75)


def test_beating_the_arithmetic_alone_and_beating_the_bytes() -> None:
    clever, impossible = efficiency(LIMITS, PEAKS, 5.0), efficiency(LIMITS, PEAKS, 3.0)
    assert (clever.violation, clever.beats_memory) == (True, False)
    assert (impossible.violation, impossible.beats_memory) == (True, True)
    assert clever.sol_fraction == impossible.sol_fraction == 1.0


@pytest.mark.parametrize(
    ("time_us", "baseline_us", "score"),
    [(2.0, 2.0, 0.5), (1.0, 2.0, 1.0), (0.1, 2.0, 1.0), (1e9, 2.0, 0.0), (3.0, 2.0, 1 / 3)],
)
def test_the_sol_score_stays_between_zero_and_one(
    time_us: float, baseline_us: float, score: float
) -> None:
    assert sol_score(time_us, baseline_us, 1.0) == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize("baseline_us", [None, 1.0, 0.5])
def test_without_a_baseline_above_the_floor_there_is_no_score(baseline_us: float | None) -> None:
    assert sol_score(3.0, baseline_us, 1.0) is None
