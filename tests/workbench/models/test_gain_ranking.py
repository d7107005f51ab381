from __future__ import annotations

import pytest

from assay.data.observations.measurement import Timing
from assay.workbench.models.gain_ranking import (
    ForwardTime,
    Replaced,
    difference_percent,
    headroom,
    idle_words,
    over_operation,
    predicted,
)


def timing(baseline: str, speedup: float) -> Timing:
    return Timing(
        baseline=baseline,
        candidate_us=10.0,
        baseline_us=10.0 * speedup,
        speedup=speedup,
        speedup_low=speedup * 0.9,
        speedup_high=speedup * 1.1,
        method="synthetic",
    )


def test_a_gain_is_a_share_of_the_time_that_passes() -> None:
    """Not of the sum of kernel times: half of the forward the device waits."""
    found = headroom(time_us=50, limit_us=10, wall_us=200)
    assert found.share == pytest.approx(0.25)
    assert found.limit_share == pytest.approx(0.2)
    assert found.most_speedup == pytest.approx(5)
    assert found.gain == pytest.approx(0.25 * 0.8)
    assert found.bound == pytest.approx(1 / 0.8)


def test_the_share_of_the_limit_is_recorded_and_decides() -> None:
    assert headroom(100, 89, 1000).at_limit is False
    done = headroom(100, 91, 1000)
    assert (done.limit_share, done.at_limit) == (pytest.approx(0.91), True)
    assert headroom(100, None, 1000).at_limit is False


def test_a_time_below_its_limit_leaves_no_gain() -> None:
    assert headroom(5, 10, 100).gain == 0.0


def test_the_speedup_is_over_the_operation_in_the_model_not_over_a_first_draft() -> None:
    """A first draft at 0.3x of the library: 2x of it still slows the model down."""
    draft_first = [timing("drafts/first.py", 2.0), timing("eager", 0.6), timing("compile", 0.5)]
    found = over_operation(draft_first, calls=1, profiled_us=6.0)
    assert found is not None
    assert found.speedup == 0.6
    assert predicted([found], ForwardTime(100.0, 90.0, 110.0)).speedup < 1.0
    assert over_operation([timing("drafts/first.py", 2.0)], 1, 6.0) is None


def test_predicted_gains_add_up_by_the_time_that_they_save() -> None:
    """Two calls of 20 us at half the time, one of 20 us at a quarter: 35 us of 100."""
    parts = [Replaced(2, 20.0, 20.0, 2.0, 1.5, 4.0), Replaced(1, 20.0, 20.0, 4.0, 4.0, 4.0)]
    found = predicted(parts, ForwardTime(100.0, 95.0, 105.0))
    assert found.speedup == pytest.approx(100 / 65)
    assert found.low == pytest.approx(105 / (105 - 40 / 3 - 15))
    assert found.high == pytest.approx(95 / (95 - 30 - 15))
    assert difference_percent(2.0, 1.9) == pytest.approx(-5)


def test_what_an_operation_takes_alone_counts_and_what_it_takes_in_the_model_widens() -> None:
    """6.45 ms in the profile, 1.86 ms alone: the profile's figure is the far end, no more."""
    part = Replaced(2, 1860.0, 6450.0, 3.55, 3.5, 3.6)
    found = predicted([part], ForwardTime(15600.0, 15600.0, 15600.0))
    assert found.speedup == pytest.approx(1.206, abs=0.001)
    assert found.high > 2.0
    assert found.low == pytest.approx(found.speedup, rel=0.01)


def test_no_kernel_saves_what_the_host_needs_to_hand_a_forward_over() -> None:
    part = Replaced(1, 50.0, 50.0, 5.0, 5.0, 5.0)
    bound = ForwardTime(100.0, 100.0, 100.0, launch_us=100.0)
    assert predicted([part], bound).speedup == 1.0
    half = ForwardTime(100.0, 100.0, 100.0, launch_us=80.0)
    assert predicted([part], half).speedup == pytest.approx(1.25)
    slower = Replaced(1, 50.0, 50.0, 0.5, 0.5, 0.5)
    assert predicted([slower], bound).speedup == pytest.approx(100 / 150)


def test_intervals_meet_or_do_not() -> None:
    found = predicted([Replaced(1, 50.0, 50.0, 2.0, 2.0, 2.0)], ForwardTime(100.0, 90.0, 110.0))
    assert found.meets(1.0, found.low)
    assert not found.meets(1.0, found.low - 0.01)
    assert not found.meets(found.high + 0.01, 3.0)


def test_a_large_idle_share_asks_for_fewer_launches() -> None:
    assert "CUDA graphs" in idle_words(0.6)
    assert idle_words(0.1) == ""
    assert "CUDA" not in idle_words(0.6, accelerated=False)
