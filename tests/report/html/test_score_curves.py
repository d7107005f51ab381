"""fast_p: every task counts, the band holds the share, and the figures are those of the scores."""

from __future__ import annotations

import pytest

from assay.data.scoring.score import Weighting
from assay.data.verdict import Status
from assay.report.html.score_curves import fast_p_curves
from assay.scores.graded import Graded, GradedTask
from assay.scores.grouped import Group, groups
from assay.scores.kernelbench_scores import fast_p
from graded_samples import entry


def grouped(*entries: Graded) -> tuple[Group, ...]:
    return groups([GradedTask(one.task) for one in entries], entries)


def test_a_curve_falls_from_the_accepted_share_to_none() -> None:
    found = [(Status.ACCEPTED, 0.8), (Status.ACCEPTED, 1.5), (Status.ACCEPTED, None)]
    found.append((Status.DISHONEST, 9.0))
    entries = [entry(f"t{i}", speed, status=status) for i, (status, speed) in enumerate(found)]
    (curve,) = fast_p_curves(grouped(*entries))
    assert (curve.n, curve.timed) == (4, 3)
    at = {point.p: point.value for point in curve.points}
    assert at[0.0] == 0.75 and at[1.0] == 0.25 and at[2.0] == 0
    values = [point.value for point in curve.points]
    assert values == sorted(values, reverse=True)
    assert all(point.low <= point.value <= point.high for point in curve.points)


def test_every_point_is_the_score_of_the_same_name() -> None:
    speeds = (0.4, 1.0, 1.3, 2.2, None)
    (some,) = grouped(*(entry(f"t{i}", speed) for i, speed in enumerate(speeds)))
    (curve,) = fast_p_curves([some])
    for point in curve.points:
        score = fast_p(some, point.p, Weighting.PUBLISHED).estimate.value
        assert point.value == pytest.approx(score, abs=1e-4)


def test_the_band_is_wilsons() -> None:
    entries = [entry(f"t{i}", 1.0) for i in range(5)]
    entries += [entry(f"u{i}", status=Status.INCORRECT) for i in range(5)]
    (curve,) = fast_p_curves(grouped(*entries))
    first = curve.points[0]
    assert (first.low, first.high) == pytest.approx((0.2366, 0.7634), abs=1e-4)


def test_the_last_round_of_the_first_sample_stands_for_a_task() -> None:
    entries = [
        entry("t", 5.0, number=0, sample=0, round=0),
        entry("t", 1.5, number=1, sample=0, round=1),
        entry("t", 9.0, number=2, sample=1, round=3),
    ]
    (curve,) = fast_p_curves(grouped(*entries))
    assert curve.n == 1 and max(p.p for p in curve.points if p.value) == pytest.approx(1.4667)


def test_a_task_without_an_answer_counts_and_what_was_not_timed_has_no_curve() -> None:
    entries = [entry("t", 1.2, generator="g"), entry("other", generator="h")]
    timed, untimed = fast_p_curves(grouped(*entries))
    assert timed.points[0].value == 0.5 and timed.n == 2
    assert untimed.points == () and untimed.generator == "h"


def test_a_degenerate_task_is_left_out_as_in_the_scores() -> None:
    entries = [entry("t", 1.2), entry("null", 3.0, remarks=("zeros pass it",))]
    (curve,) = fast_p_curves(grouped(*entries))
    assert curve.n == 1
