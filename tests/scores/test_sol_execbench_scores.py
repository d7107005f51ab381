"""The SOL score at its three marks, and never outside [0, 1]."""

from __future__ import annotations

import random

from assay.data.scoring.score import Weighting
from assay.data.verdict import Status
from assay.scores.sol_execbench_scores import mean_sol_score, sol_score, violation_share
from graded_samples import entry, group


def test_half_at_the_baseline_and_one_at_the_bound() -> None:
    assert sol_score(10.0, 10.0, 2.0).value == 0.5
    assert sol_score(2.0, 10.0, 2.0).value == 1.0
    assert not sol_score(2.0, 10.0, 2.0).violation
    assert sol_score(1e12, 10.0, 2.0).value < 1e-9


def test_it_never_leaves_its_range_and_flags_what_beats_the_bound() -> None:
    draw = random.Random(1)
    for _ in range(2000):
        time, baseline, bound = (draw.uniform(0.01, 5.0) for _ in range(3))
        found = sol_score(time, baseline, bound)
        assert 0.0 <= found.value <= 1.0
        assert found.violation == (time < bound)


def test_the_pole_of_the_published_formula_is_no_error() -> None:
    assert sol_score(1.0, 2.0, 1.5).value == 1.0  # time = 2 bound - baseline


def test_failures_count_zero_and_unknown_bounds_are_left_out() -> None:
    some = group(
        entry("a", 1.0, sol_us=10.0),
        entry("b", status=Status.INCORRECT),
        entry("c", 1.0),
        entry("d", 20.0, sol_us=10.0, coverage=0.5),
    )
    found = mean_sol_score(some, Weighting.PUBLISHED)
    assert found.estimate.value == (0.5 + 0.0 + 1.0) / 3
    assert found.denominator == "3 of 4 tasks, 1 without a bound or a time"
    assert mean_sol_score(some, Weighting.COVERAGE).estimate.value == (0.5 + 0.0 + 0.5) / 3
    assert violation_share(some).estimate.value == 0.5
    assert mean_sol_score(group(entry("c", 1.0)), Weighting.PUBLISHED).estimate.value is None
