"""KernelEval's composite on its archetypes, its guards and its factors."""

from __future__ import annotations

import pytest

from assay.data.scoring.score import Weighting
from assay.scores.graded import GradedShape, GradedTask
from assay.scores.grouped import groups
from assay.scores.kerneleval_scores import (
    KernelEvalScores,
    composite,
    composite_of,
    operator_coverage,
    portability,
    shape_spread,
)
from graded_samples import entry, group

PUBLISHED = Weighting.PUBLISHED


@pytest.mark.parametrize(
    ("factors", "value"),
    [
        ((1.05, 0.15, 0.85, 0.75), 0.5690),
        ((1.40, 0.65, 0.70, 0.50), 0.1715),
        ((1.20, 0.10, 0.90, 0.75), 0.7290),
    ],
    ids=["baseline", "fragile", "robust"],
)
def test_the_archetypes(factors: tuple[float, float, float, float], value: float) -> None:
    assert composite(*factors) == pytest.approx(value, abs=5e-5)


def test_a_spread_above_one_is_no_negative_score() -> None:
    assert composite(2.0, 1.7, 1.0, 1.0) == 0.0
    assert composite(2.0, 0.0, 1.2, 1.0) == 2.0


def shapes(*speedups: float) -> tuple[GradedShape, ...]:
    return tuple(GradedShape("tiny" if i % 2 else "large", s) for i, s in enumerate(speedups))


def test_the_factors_are_given_beside_the_composite() -> None:
    some = group(entry("a", 2.0, shapes=shapes(1.0, 3.0)), operator="GEMM")
    found = composite_of(some, PUBLISHED)
    cv = (2 / 3) ** 0.5 / 2
    assert found.parts == pytest.approx(
        {"median_speedup": 2.0, "cv_shape": cv, "coverage": 1 / 14, "portability": 1 / 4}
    )
    assert found.estimate.value == pytest.approx(2.0 * (1 - cv) / 14 / 4)
    assert shape_spread(some).estimate.value == pytest.approx(cv)
    names = {score.name for score in KernelEvalScores().scores(some)}
    assert {"kerneleval.cv_shape.tiny", "kerneleval.cv_shape.large"} <= names


def test_without_shapes_the_composite_is_unknown_and_says_why() -> None:
    found = composite_of(group(entry("a", 2.0), operator="fused"), PUBLISHED)
    assert found.estimate.value is None and "--time-shapes" in found.reason
    assert found.parts["median_speedup"] == 2.0 and found.parts["cv_shape"] is None


def test_coverage_asks_each_category_forward_and_backward() -> None:
    tasks = [
        GradedTask("a", operator="GEMM"),
        GradedTask("b", operator="matmul", backward=True),
        GradedTask("c", operator="reduction"),
        GradedTask("d", operator="decomposition"),
    ]
    entries = [entry("a", 2.0, coverage=0.5), entry("b", 1.0), entry("c", 0.5, slower=True)]
    (some,) = groups(tasks, [*entries, entry("d", 3.0)])
    forward = operator_coverage(some, backward=False, weighting=PUBLISHED)
    assert forward.estimate.value == pytest.approx(1 / 7)
    assert forward.denominator == "7 categories, 2 of them asked"
    backward = operator_coverage(some, backward=True, weighting=PUBLISHED)
    assert backward.estimate.value == pytest.approx(1 / 7)
    weighted = operator_coverage(some, backward=False, weighting=Weighting.COVERAGE)
    assert weighted.estimate.value == pytest.approx(0.5 / 7)


def test_a_backend_counts_where_the_kernel_is_right_and_reaches_its_share() -> None:
    entries = [
        entry("a", 1.0),
        entry("a", 0.9, device="cpu", backend="cpu"),
        entry("a", 0.7, device="mps", backend="mps"),
    ]
    some = groups([GradedTask("a")], entries)[0]
    assert portability(some).estimate.value == 2 / 4
    assert portability(some, tried_only=True).estimate.value == pytest.approx(2 / 3)
