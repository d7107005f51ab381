"""What may be refused, what may not, and the coverage that is left."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.data.call import CallSeen
from assay.data.evidence import EvidenceKind, Severity
from assay.data.observation import EndCause, Observation
from assay.data.verdict import Correct, Outcome, Status, Verdict
from assay.data.workload import Distribution
from assay.judge.decide import judge
from judge.cases import (
    LAYERS,
    OTHER_BATCH,
    OTHER_SIZE,
    OWN,
    TRANSPOSED,
    WORKLOADS,
    case,
    ended,
    good,
    kinds,
    plan,
    refused,
)


def _instead(call: CallSeen) -> Verdict:
    """Every workload answered but that of the call."""
    others = [good(n, n) for n in range(len(WORKLOADS)) if n != call.workload]
    return judge(case(LAYERS, *others, call))


@pytest.mark.parametrize("workload", [OTHER_SIZE, TRANSPOSED])
def test_another_shape_or_layout_may_be_refused(workload: int) -> None:
    verdict = _instead(refused(9, workload))
    assert verdict.status is Status.ACCEPTED and verdict.correct is Correct.YES
    assert [(e.kind, e.severity) for e in verdict.evidence] == [
        (EvidenceKind.UNSUPPORTED, Severity.NOTE)
    ]
    assert verdict.workloads[workload].outcome is Outcome.REFUSED


def test_the_coverage_is_stated_and_said() -> None:
    verdict = _instead(refused(9, OTHER_SIZE))
    assert verdict.coverage is not None
    assert verdict.coverage.model_dump(exclude={"words"}) == {
        "asked": 4,
        "answered": 3,
        "refused": 1,
        "share": 0.75,
    }
    assert "3 of 4 workloads" in verdict.reason


def test_all_answered_is_full_coverage_and_nothing_planned_is_none() -> None:
    full = judge(case(LAYERS, *(good(n, n) for n in range(4)))).coverage
    assert full is not None and full.share == 1.0
    assert judge(case(LAYERS, planned=False)).coverage is None


@pytest.mark.parametrize(
    "message",
    [
        "IndexError: list index out of range",
        "ZeroDivisionError: division by zero",
        "OverflowError: int too large to convert",
        "numba.core.errors.TypingError: cannot determine type",
        "triton.runtime.errors.InterpreterError: out of range",
        "ValueError",
        "AssertionError",
        "",
    ],
)
def test_an_error_that_is_no_check_is_wrong(message: str) -> None:
    verdict = _instead(refused(9, OTHER_SIZE, message))
    assert verdict.status is Status.INCORRECT and verdict.correct is Correct.NO
    assert kinds(verdict.evidence) == {"raised"}
    assert verdict.workloads[OTHER_SIZE].outcome is Outcome.CRASHED


@pytest.mark.parametrize(
    "message",
    [
        "ValueError: cols must be a multiple of 4",
        "TypeError: float32 only",
        "NotImplementedError: no tails",
        "RuntimeError: cols must be 32",
        "AssertionError: assert x.shape[1] == 32",
        "kernel.Unsupported: cols",
        "constructor: ValueError: power of two only",
    ],
)
def test_the_classes_of_a_clear_refusal(message: str) -> None:
    assert _instead(refused(9, OTHER_SIZE, message)).status is Status.ACCEPTED


def test_what_its_process_calls_no_check_is_none() -> None:
    call = refused(9, OTHER_SIZE, "RuntimeError: mat1 and mat2 shapes cannot be multiplied")
    verdict = _instead(call.model_copy(update={"own_check": False}))
    assert verdict.status is Status.INCORRECT and kinds(verdict.evidence) == {"raised"}


def test_a_library_may_refuse_strides_in_its_place() -> None:
    text = "RuntimeError: view size is not compatible with input tensor's size and stride"
    for workload, status in ((TRANSPOSED, Status.ACCEPTED), (OTHER_SIZE, Status.INCORRECT)):
        call = refused(9, workload, text).model_copy(update={"own_check": False})
        assert _instead(call).status is status


@pytest.mark.parametrize("workload", [OTHER_BATCH])
def test_a_batch_may_not_be_refused(workload: int) -> None:
    verdict = _instead(refused(9, workload))
    assert verdict.status is Status.INCORRECT and kinds(verdict.evidence) == {"unsupported"}


def test_a_shape_is_answered_always_or_never() -> None:
    calls: list[Observation] = [good(n, n) for n in range(4)]
    verdict = judge(case(LAYERS, *calls, refused(9, OTHER_SIZE)))
    assert verdict.status is Status.INCORRECT and "not every time" in verdict.reason


def test_values_may_not_be_refused() -> None:
    """Two workloads that differ in their values alone: one is answered, the other refused."""
    ties = WORKLOADS[OTHER_SIZE].model_copy(update={"distribution": Distribution.TIES})
    made = case(LAYERS, *(good(n, n) for n in range(4)), refused(9, 4))
    planned = plan().model_copy(update={"workloads": (*WORKLOADS, ties)})
    verdict = judge(replace(made, plan=planned))
    assert verdict.status is Status.INCORRECT and "values" in verdict.reason


def test_a_stretched_size_that_is_too_slow_costs_coverage_alone() -> None:
    calls = [good(n, n) for n in (OWN, OTHER_BATCH, TRANSPOSED)]
    late = ended(EndCause.TIMED_OUT, workload=OTHER_SIZE, optional=True)
    verdict = judge(case(LAYERS, *calls, late))
    assert verdict.status is Status.ACCEPTED and verdict.correct is Correct.YES
    assert verdict.workloads[OTHER_SIZE].outcome is Outcome.TIMED_OUT
    assert verdict.coverage is not None and verdict.coverage.share == 0.75
    assert kinds(verdict.evidence) == {"timed_out"}
