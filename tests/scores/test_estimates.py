"""Figures and their intervals on samples with known answers."""

from __future__ import annotations

import math
import random

import pytest

from assay.scores import estimates


def test_of_nothing_nothing_is_said() -> None:
    assert estimates.mean([]) == estimates.NOTHING
    assert estimates.ratio([1.0, 2.0], [0.0, 0.0]) == estimates.NOTHING
    assert estimates.geometric([]) is None


def test_one_task_has_a_value_and_no_interval() -> None:
    assert estimates.mean([3.0]) == estimates.Estimate(3.0)


def test_means_are_those_of_the_definition() -> None:
    assert estimates.ratio([1.0, 2.0], [2.0, 4.0]).value == 0.5
    assert estimates.geometric_mean([1.0, 4.0]).value == pytest.approx(2.0)
    assert estimates.geometric([1.0, 4.0]) == pytest.approx(2.0)
    assert estimates.median([1.0, 9.0, 2.0]).value == 2.0


def test_the_interval_is_that_of_the_normal_law() -> None:
    draw = random.Random(3)
    values = [draw.gauss(0.0, 1.0) for _ in range(400)]
    found = estimates.mean(values)
    assert found.low is not None and found.high is not None
    assert found.high - found.low == pytest.approx(2 * 1.96 / math.sqrt(400), rel=0.15)


def test_the_interval_holds_the_truth_at_its_rate() -> None:
    draw = random.Random(5)
    held = 0
    for _ in range(60):
        found = estimates.bootstrap(
            40, _mean_of([float(draw.random() < 0.5) for _ in range(40)]), repeats=200
        )
        assert found.low is not None and found.high is not None
        held += found.low <= 0.5 <= found.high
    assert held >= 50  # of 60; a rate of 95 % gives fewer with a probability below 0.1 %


def _mean_of(values: list[float]) -> estimates.Statistic:
    return lambda chosen: sum(values[i] for i in chosen) / len(chosen)
