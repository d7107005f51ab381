"""What a budget buys."""

from __future__ import annotations

import pytest

from assay.data.scoring.score_analysis import CostForecast
from assay.data.verdict import Status
from assay.report.scored.analysis_text import forecast_text
from assay.scores.analysis.cost_forecast import TasksAhead, cost_forecast
from assay.scores.graded import Graded, GradedTask
from assay.scores.grouped import groups
from graded_samples import entry, group

KINDS = ("solved", "unsolved", "other")


def costed(count: int, solved: int, seconds: float | None = 5.0) -> list[Graded]:
    return [
        entry(
            f"t{i}",
            status=Status.ACCEPTED if i < solved else Status.INCORRECT,
            cost_usd=2.0,
            seconds=seconds,
            judged_s=1.0,
        )
        for i in range(count)
    ]


def test_a_budget_ends_the_tasks_that_can_be_tried() -> None:
    found = cost_forecast(group(*costed(20, 10)), {"dollars": 20.0}, TasksAhead(100))
    assert found.tried == 10.0 and found.binding == "dollars"
    assert found.successes == pytest.approx(5.0, abs=0.3)
    assert found.successes_low is not None and found.successes_high is not None
    assert found.successes_low < 5 < found.successes_high
    assert found.seconds == 60.0


def test_a_large_budget_is_bound_by_the_tasks() -> None:
    found = cost_forecast(group(*costed(20, 20)), {"dollars": 1e6, "seconds": 1e6}, TasksAhead())
    assert (found.tried, found.successes, found.binding) == (20.0, 20.0, "")


def test_an_unknown_cost_is_no_forecast() -> None:
    found = cost_forecast(group(*costed(4, 2)), {"tokens": 100.0}, TasksAhead())
    assert found.successes is None and "tokens" in found.reason


def test_time_that_is_not_stated_is_unknown_and_no_zero() -> None:
    entries = [*costed(4, 2), *costed(5, 5, seconds=None)[4:]]
    found = cost_forecast(group(*entries), {"dollars": 4.0}, TasksAhead())
    assert found.successes is not None
    assert (found.seconds, found.seconds_low, found.seconds_high) == (None, None, None)
    assert "unknown" in forecast_text(found)


def test_few_tried_tasks_give_a_wide_interval() -> None:
    few, many = (
        cost_forecast(group(*costed(n, n // 2)), {"dollars": 1e6}, TasksAhead(100))
        for n in (6, 600)
    )
    assert _width(few) > 2 * _width(many)


def _width(found: CostForecast) -> float:
    assert found.successes_low is not None and found.successes_high is not None
    return found.successes_high - found.successes_low


def test_tasks_of_a_suite_are_like_the_tried_ones_of_their_category() -> None:
    kinds = [GradedTask(f"t{i}", category="solved" if i < 5 else "unsolved") for i in range(10)]
    (tried,) = groups(kinds, costed(10, 5))
    wanted = {name: [GradedTask(f"{name}{i}", category=name) for i in range(8)] for name in KINDS}
    found = {
        name: cost_forecast(tried, {"dollars": 1e6}, TasksAhead(None, "suite", tuple(tasks)))
        for name, tasks in wanted.items()
    }
    assert [found[name].tasks for name in KINDS] == [8, 8, 8]
    assert [found[name].successes for name in KINDS[:2]] == [8.0, 0.0]
    assert found["other"].successes == pytest.approx(4.0, abs=0.3)
    assert "8 of the 8 tasks of suite are of a category that was not" in found["other"].made_from
    assert "category" not in found["solved"].made_from
