"""What a budget buys."""

from __future__ import annotations

import pytest

from assay.data.verdict import Status
from assay.scores.analysis.cost_forecast import cost_forecast
from graded_samples import entry, group


def costed(count: int, solved: int) -> list:  # type: ignore[type-arg]
    return [
        entry(
            f"t{i}",
            status=Status.ACCEPTED if i < solved else Status.INCORRECT,
            cost_usd=2.0,
            seconds=5.0,
            judged_s=1.0,
        )
        for i in range(count)
    ]


def test_a_budget_ends_the_tasks_that_can_be_tried() -> None:
    found = cost_forecast(group(*costed(20, 10)), {"dollars": 20.0}, tasks=100)
    assert found.tried == 10.0 and found.binding == "dollars"
    assert found.successes == pytest.approx(5.0, abs=0.3)
    assert found.successes_low is not None and found.successes_high is not None
    assert found.successes_low < 5 < found.successes_high
    assert found.seconds == 60.0


def test_a_large_budget_is_bound_by_the_tasks() -> None:
    found = cost_forecast(group(*costed(20, 20)), {"dollars": 1e6, "seconds": 1e6}, tasks=None)
    assert (found.tried, found.successes, found.binding) == (20.0, 20.0, "")


def test_an_unknown_cost_is_no_forecast() -> None:
    found = cost_forecast(group(*costed(4, 2)), {"tokens": 100.0}, tasks=None)
    assert found.successes is None and "tokens" in found.reason
