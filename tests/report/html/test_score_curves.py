"""fast_p: every candidate counts, and the band holds the share."""

from __future__ import annotations

import pytest

from assay.data.candidate import Provenance
from assay.data.verdict import Status
from assay.report.html.report_data import ReportVerdict
from assay.report.html.score_curves import fast_p_curves
from sample_records import TIMING


def made(status: Status, speedup: float | None = None, **fields: object) -> ReportVerdict:
    timing = () if speedup is None else (TIMING.model_copy(update={"speedup": speedup}),)
    usual = {"number": 0, "name": "k", "id": "0", "task": "t", "generator": "g", "timing": timing}
    given = {"language": "torch", "status": status.value}
    return ReportVerdict.model_validate(usual | given | fields)


def test_a_curve_falls_from_the_accepted_share_to_none() -> None:
    found = [(Status.ACCEPTED, 0.8), (Status.ACCEPTED, 1.5), (Status.ACCEPTED, None)]
    found.append((Status.DISHONEST, 9.0))
    group = [made(status, speed, task=f"t{i}") for i, (status, speed) in enumerate(found)]
    (curve,) = fast_p_curves(group)
    assert (curve.n, curve.timed) == (4, 3)
    at = {point.p: point.value for point in curve.points}
    assert at[0.0] == 0.75 and at[1.0] == 0.25 and at[2.0] == 0
    values = [point.value for point in curve.points]
    assert values == sorted(values, reverse=True)
    assert all(point.low <= point.value <= point.high for point in curve.points)


def test_the_band_is_wilsons() -> None:
    group = [made(Status.ACCEPTED, 1.0, task=f"t{i}") for i in range(5)]
    group += [made(Status.INCORRECT, task=f"u{i}") for i in range(5)]
    (curve,) = fast_p_curves(group)
    first = curve.points[0]
    assert (first.low, first.high) == pytest.approx((0.2366, 0.7634), abs=1e-4)


def test_the_last_round_of_the_first_sample_stands_for_a_task() -> None:
    group = [
        made(Status.ACCEPTED, 5.0, number=0, provenance=Provenance(sample=0, round=0)),
        made(Status.ACCEPTED, 1.5, number=1, provenance=Provenance(sample=0, round=1)),
        made(Status.ACCEPTED, 9.0, number=2, provenance=Provenance(sample=1, round=3)),
    ]
    (curve,) = fast_p_curves(group)
    assert curve.n == 1 and max(p.p for p in curve.points if p.value) == pytest.approx(1.4667)


def test_a_task_without_an_answer_counts_and_what_was_not_timed_has_no_curve() -> None:
    group = [made(Status.ACCEPTED, 1.2), made(Status.ACCEPTED, task="other", generator="h")]
    timed, untimed = fast_p_curves(group)
    assert timed.points[0].value == 0.5 and timed.n == 2
    assert untimed.points == () and untimed.generator == "h"
