"""Accuracy, the two-level mean and what a success costs."""

from __future__ import annotations

import pytest

from assay.data.scoring.score import Weighting
from assay.data.verdict import Status
from assay.scores.graded import GradedShape
from assay.scores.kernelgenbench_scores import (
    COSTS,
    accuracy,
    cost_per_success,
    two_level_speedup,
)
from graded_samples import entry, group

PUBLISHED = Weighting.PUBLISHED


def test_any_accepted_candidate_solves_a_task() -> None:
    some = group(
        entry("a", 1.0, sample=1, coverage=0.4),
        entry("a", sample=0, status=Status.CRASHED),
        tasks=2,
    )
    assert accuracy(some, PUBLISHED).estimate.value == 0.5
    assert accuracy(some, Weighting.COVERAGE).estimate.value == pytest.approx(0.2)


def test_shapes_first_then_tasks() -> None:
    shapes = (GradedShape("tiny", 2.0), GradedShape("large", 4.0))
    some = group(entry("a", 1.0, shapes=shapes), entry("b", 8.0), entry("b", 2.0, sample=1))
    assert two_level_speedup(some).estimate.value == pytest.approx((2.0 * 8.0) ** 0.5)


def test_failed_attempts_are_paid_for() -> None:
    some = group(
        entry("a", 1.0, tokens_in=100, tokens_out=50),
        entry("b", tokens_in=300, status=Status.TIMED_OUT),
    )
    assert cost_per_success(some, COSTS["tokens"], PUBLISHED).estimate.value == 450
    dollars = cost_per_success(some, COSTS["dollars"], PUBLISHED)
    assert dollars.estimate.value is None and "cost" in dollars.reason


def test_a_cost_that_is_partly_known_is_a_lower_bound() -> None:
    some = group(entry("a", 1.0, cost_usd=2.0), entry("b", 1.0))
    found = cost_per_success(some, COSTS["dollars"], PUBLISHED)
    assert found.estimate.value == 1.0
    assert found.denominator.endswith("cost known of 1 of 2 candidates, so a lower bound")


def test_without_a_success_there_is_no_cost_of_one() -> None:
    some = group(entry("a", status=Status.INCORRECT, cost_usd=2.0))
    found = cost_per_success(some, COSTS["dollars"], PUBLISHED)
    assert found.estimate.value is None and "accepted" in found.reason
