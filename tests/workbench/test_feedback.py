"""Feedback says what a verdict prints, briefly, and nothing that is secret."""

from __future__ import annotations

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.generation.search_plan import FeedbackShown
from assay.data.settings import Settings
from assay.data.verdict import Limits, Status
from assay.workbench.feedback import feedback_of
from sample_records import TIMING, WRONG, candidate, judgement, row, verdict

LIMITS = Limits(bytes=8, flops=2, sol_us=60.0, sol_fraction=0.5, bound="memory")


def test_what_is_wrong_comes_first() -> None:
    text = feedback_of(verdict(Status.INCORRECT, evidence=(WRONG,)))
    assert text.splitlines() == [
        "incorrect: It is incorrect.",
        "wrong_value: got 0, expected 1 (output[0, 3])",
    ]


def test_speed_is_said_with_its_interval() -> None:
    text = feedback_of(verdict(Status.ACCEPTED, timing=(TIMING,), limits=LIMITS))
    assert "2x eager [1.9, 2.1]" in text


def test_neither_the_plan_nor_the_workloads_are_told() -> None:
    found = judgement(candidate(), Settings(), Status.ACCEPTED).verdict
    found = found.model_copy(update={"workloads": (row(12347),)})
    text = feedback_of(found)
    assert found.plan is not None
    assert found.plan.secret not in text and "12347" not in text


def test_text_of_the_candidate_is_cut_and_printable() -> None:
    long = Evidence(
        kind=EvidenceKind.RAISED, severity=Severity.CONVICTS, text="\x1b[31m" + "x" * 9000
    )
    text = feedback_of(verdict(Status.INCORRECT, evidence=(long,)))
    assert len(text) < 700 and "\x1b" not in text


def test_it_can_be_left_out() -> None:
    found = verdict(Status.INCORRECT, evidence=(WRONG,))
    assert feedback_of(found, FeedbackShown.STATUS) == "incorrect"
    assert feedback_of(found, FeedbackShown.NONE) == ""
