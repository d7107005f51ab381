"""fast_p, pass@k and geometric means against their definitions."""

from __future__ import annotations

import itertools
import math

import pytest

from assay.data.scoring.score import Weighting
from assay.data.verdict import Status
from assay.scores.kernelbench_scores import (
    KernelBenchScores,
    expected_best,
    fast_p,
    fast_p_curve,
    geometric_speedup,
    pass_at_k,
)
from graded_samples import entry, group

PUBLISHED, COVERAGE = Weighting.PUBLISHED, Weighting.COVERAGE


def test_a_baseline_against_itself_is_right_and_not_faster() -> None:
    same = group(*(entry(f"t{i}", 1.0) for i in range(5)))
    assert fast_p(same, 1.0, PUBLISHED).estimate.value == 0.0
    assert fast_p(same, 0.0, PUBLISHED).estimate.value == 1.0
    assert fast_p(same, 0.8, PUBLISHED).estimate.value == 1.0
    assert geometric_speedup(same).estimate.value == 1.0


def test_failures_and_tasks_without_a_candidate_are_in_the_denominator() -> None:
    some = group(
        entry("a", 3.0),
        entry("b", 5.0, status=Status.DISHONEST),
        entry("c", 5.0, status=Status.INCORRECT),
        entry("d", status=None),
        tasks=8,
    )
    found = fast_p(some, 2.0, PUBLISHED)
    assert found.estimate.value == 1 / 8
    assert found.denominator == "8 tasks"


def test_coverage_weighs_what_is_right() -> None:
    half = group(entry("a", 3.0, coverage=0.5), entry("b", 3.0, coverage=None))
    assert fast_p(half, 1.0, PUBLISHED).estimate.value == 1.0
    assert fast_p(half, 1.0, COVERAGE).estimate.value == 0.25


def test_what_was_not_timed_is_right_and_faster_than_nothing() -> None:
    untimed = group(entry("a"), entry("b", 2.0))
    assert fast_p(untimed, 0.0, PUBLISHED).estimate.value == 1.0
    assert fast_p(untimed, 0.5, PUBLISHED).estimate.value == 0.5
    nothing = fast_p(group(entry("a")), 1.0, PUBLISHED)
    assert nothing.estimate.value is None and "timed" in nothing.reason


def test_the_curve_falls_and_meets_the_single_points() -> None:
    some = group(*(entry(f"t{i}", 0.3 * i + 0.1) for i in range(10)))
    points = fast_p_curve(some, PUBLISHED).parts
    values = list(points.values())
    assert values == sorted(values, reverse=True)
    assert points["1.5"] == fast_p(some, 1.5, PUBLISHED).estimate.value


@pytest.mark.parametrize(("n", "c", "k"), [(5, 2, 1), (5, 2, 3), (7, 0, 2), (6, 6, 4), (4, 1, 4)])
def test_pass_at_k_is_the_share_of_subsets_with_a_success(n: int, c: int, k: int) -> None:
    credits = [1.0] * c + [0.0] * (n - c)
    subsets = list(itertools.combinations(credits, k))
    brute = sum(max(subset) for subset in subsets) / len(subsets)
    published = 1.0 - math.comb(n - c, k) / math.comb(n, k)
    assert expected_best(credits, k) == pytest.approx(brute)
    assert expected_best(credits, k) == pytest.approx(published)


def test_weighted_pass_at_k_is_the_expected_best_share() -> None:
    credits = [0.0, 0.25, 0.5, 1.0]
    subsets = list(itertools.combinations(credits, 2))
    assert expected_best(credits, 2) == pytest.approx(
        sum(max(subset) for subset in subsets) / len(subsets)
    )


def test_pass_at_k_counts_all_samples_and_fast_p_the_first() -> None:
    wrong = Status.INCORRECT
    some = group(entry("a", 2.0, sample=1), entry("a", 2.0, sample=0, status=wrong))
    assert fast_p(some, 0.0, PUBLISHED).estimate.value == 0.0
    assert pass_at_k(some, 1, PUBLISHED).estimate.value == 0.5
    assert pass_at_k(some, 2, PUBLISHED).estimate.value == 1.0


def test_the_last_round_of_the_first_sample_answers_for_a_task() -> None:
    wrong = Status.INCORRECT
    some = group(entry("a", 2.0, sample=0, round=1), entry("a", sample=0, round=0, status=wrong))
    assert fast_p(some, 1.0, PUBLISHED).estimate.value == 1.0


def test_intervals_hold_the_value_and_are_the_same_every_time() -> None:
    some = group(*(entry(f"t{i}", 0.5 + i % 3) for i in range(30)))
    scores = list(KernelBenchScores().scores(some))
    assert scores == list(KernelBenchScores().scores(some))
    for score in scores:
        if score.value is not None and score.low is not None and score.high is not None:
            assert score.low <= score.value <= score.high
    (fast_1,) = [s for s in scores if s.name == "kernelbench.fast_1" and s.weighting is PUBLISHED]
    assert fast_1.low is not None and fast_1.low < 2 / 3 < (fast_1.high or 0)
    assert fast_1.n == 30 and fast_1.tasks == 30
