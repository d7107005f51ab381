"""A smaller float than the task's: convicted where the source says it and the calls show it."""

from __future__ import annotations

import pytest

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.call import CallSeen, ErrorSummary
from assay.data.observations.observation import Observation, SourceSeen
from assay.data.verdict import Status, Verdict
from assay.judge.decide import judge
from support.judge_inputs import bad, case, every_workload

NARROWS = SourceSeen(
    findings=(
        Evidence(
            kind=EvidenceKind.LOWER_PRECISION,
            severity=Severity.NOTE,
            where="kernel.py:7",
            text="a value is put into a smaller float",
        ),
    )
)


def off_by(noise: float | None, index: int = 9, **about: object) -> CallSeen:
    error = ErrorSummary(budget_used=40.0, wrong=3, total=16, noise=noise)
    return bad(index, error=error, **about)


def judged(*more: Observation) -> Verdict:
    return judge(case(*every_workload(), *more))


def test_narrowed_operands_that_show_are_dishonest() -> None:
    verdict = judged(NARROWS, off_by(3e-4))
    assert verdict.status is Status.DISHONEST
    assert "kernel.py:7" in verdict.reason and "float32" in verdict.reason


def test_narrowing_that_costs_nothing_is_a_note() -> None:
    verdict = judged(NARROWS)
    assert verdict.status is Status.ACCEPTED
    assert EvidenceKind.LOWER_PRECISION in {e.kind for e in verdict.evidence}


@pytest.mark.parametrize(
    "wrong",
    [
        off_by(0.3),  # far from right: a bug
        off_by(None),
        off_by(3e-8),  # less than a smaller float loses: a bug of another kind
        off_by(3e-4, problem=EvidenceKind.WRONG_SHAPE),
    ],
)
def test_a_bug_beside_it_is_a_bug(wrong: CallSeen) -> None:
    assert judged(NARROWS, wrong).status is Status.INCORRECT


def test_lost_bits_alone_are_a_bug() -> None:
    assert judged(off_by(3e-4)).status is Status.INCORRECT
