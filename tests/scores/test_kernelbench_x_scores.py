"""Two-stage correctness, matched speedups and utilisation."""

from __future__ import annotations

import pytest

from assay.data.scoring.score import Weighting
from assay.data.verdict import Status
from assay.scores.graded import GradedShape, GradedTask
from assay.scores.grouped import groups
from assay.scores.kernelbench_x_scores import (
    KernelBenchXScores,
    call_accuracy,
    correct_per_compile,
    execution_accuracy,
    matched_speedup_geometric,
    matched_speedup_mean,
    matched_speedup_total,
    normalised_utilisation,
)
from assay.scores.tritonbench_scores import TritonBenchScores, speedup_of_survivors
from graded_samples import entry, group

PUBLISHED = Weighting.PUBLISHED
FOUR = (
    entry("a", 2.0, coverage=0.5),
    entry("b", status=Status.INCORRECT),
    entry("c", status=Status.BUILD_FAILED),
)


def test_the_two_stages_have_their_own_denominators() -> None:
    some = group(*FOUR, tasks=4)
    assert call_accuracy(some).estimate.value == 0.5
    assert execution_accuracy(some, PUBLISHED).estimate.value == 0.25
    assert correct_per_compile(some, PUBLISHED).estimate.value == 0.5
    assert correct_per_compile(some, Weighting.COVERAGE).estimate.value == 0.25


def test_sizes_that_were_not_timed_on_both_sides_do_not_count() -> None:
    shapes = (
        GradedShape("large", 2.0, candidate_us=500.0, baseline_us=1000.0),
        GradedShape("tiny", 9.0, candidate_us=None, baseline_us=9.0),
    )
    some = group(entry("a", 1.0, shapes=shapes), entry("b", 4.0))
    assert matched_speedup_mean(some).estimate.value == pytest.approx((1100 / 600 + 4) / 2)
    assert matched_speedup_total(some).estimate.value == pytest.approx(1200 / 625)
    assert matched_speedup_geometric(some).estimate.value == pytest.approx((1100 / 600 * 4) ** 0.5)


def test_utilisation_is_normalised_by_the_best_of_the_task() -> None:
    entries = [
        entry("a", 1.0, iou=0.4, mfu=0.1),
        entry("a", 1.0, iou=0.8, mfu=0.1, generator="H"),
        entry("a", 1.0, iou=0.1, mfu=1.0, generator="H", device="other"),
    ]
    mine, _, _ = groups([GradedTask("a")], entries)
    assert mine.generator == "G"
    assert normalised_utilisation(mine, same_machine=True).estimate.value == pytest.approx(0.5)
    assert normalised_utilisation(mine, same_machine=False).estimate.value == pytest.approx(0.4)
    by_name = {score.name: score for score in KernelBenchXScores().scores(mine)}
    assert by_name["kernelbench_x.max_iou_mfu"].value == pytest.approx(0.4)


def test_without_a_floor_there_is_no_utilisation() -> None:
    by_name = {score.name: score for score in KernelBenchXScores().scores(group(entry("a", 1.0)))}
    assert by_name["kernelbench_x.iou"].value is None
    assert by_name["kernelbench_x.iou"].reason


def test_what_tritonbench_drops_is_counted() -> None:
    some = group(entry("a", 2.0), entry("b", 50.0), entry("c", 0.05))
    found = speedup_of_survivors(some)
    assert found.estimate.value == pytest.approx(2.0)
    assert found.denominator == "1 of 3 tasks, 2 dropped as beyond belief"
    names = {score.name for score in TritonBenchScores().scores(some)}
    assert {"tritonbench.call_accuracy", "tritonbench.efficiency"} <= names
