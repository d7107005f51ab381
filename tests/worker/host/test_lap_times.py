"""Which clock counts, and what the null candidate's batch takes off."""

from __future__ import annotations

import pytest

from assay.worker.host.lap_times import Laps, LapTimes


def _times(*inside_us: float) -> LapTimes:
    """Sides that take 100 us a call outside, ten calls a batch, over a null batch of 200 us."""
    sides = [Laps([1_200_000] * 3, [int(1e4 * us)] * 3) for us in inside_us]
    return LapTimes([*sides, Laps([200_000] * 3, [0] * 3)], [10] * 3)


def test_the_inside_clock_counts_where_all_of_them_agree() -> None:
    times = _times(95.0, 98.0, 99.0)
    assert times.inside and times.samples_us(2) == pytest.approx([99.0] * 3)


def test_one_that_leaves_time_out_costs_all_of_them_the_inside_clock() -> None:
    times = _times(95.0, 98.0, 40.0)
    assert not times.inside and times.samples_us(0) == pytest.approx([100.0] * 3)
    assert times.inside_share(2) == pytest.approx(0.4)
