from __future__ import annotations

import pytest

from assay.data.observations.measurement import Timing
from assay.workbench.models.gain_ranking import (
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
    found = over_operation(draft_first, share=0.5)
    assert found is not None
    assert found.speedup == 0.6
    assert predicted([found]).speedup < 1.0
    assert over_operation([timing("drafts/first.py", 2.0)], 0.5) is None


def test_predicted_gains_add_up_by_their_shares() -> None:
    parts = [Replaced(0.4, 2.0, 1.5, 4.0), Replaced(0.2, 4.0, 4.0, 4.0)]
    found = predicted(parts)
    assert found.speedup == pytest.approx(1 / (1 - 0.2 - 0.15))
    assert found.low < found.speedup < found.high
    assert difference_percent(2.0, 1.9) == pytest.approx(-5)


def test_a_large_idle_share_asks_for_fewer_launches() -> None:
    assert "CUDA graphs" in idle_words(0.6)
    assert idle_words(0.1) == ""
    assert "CUDA" not in idle_words(0.6, accelerated=False)
