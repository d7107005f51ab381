"""What may be refused, what may not, and the coverage that is left."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.data.evidence import EvidenceKind, Severity
from assay.data.observations.call import CallSeen
from assay.data.observations.observation import EndCause, Observation
from assay.data.verdict import Correct, Outcome, Status, Verdict
from assay.data.workload import Distribution
from assay.judge.decide import judge
from support.judge_inputs import (
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


@pytest.mark.parametrize("workload", [OTHER_BATCH, OTHER_SIZE, TRANSPOSED])
def test_another_batch_shape_or_layout_may_be_refused(workload: int) -> None:
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
        "ValueError: cols must be a multiple of 4",
        "AssertionError: assert x.shape[1] == 32",
        "kernel.Unsupported: cols",
        "constructor: ValueError: power of two only",
        "IndexError: list index out of range",
        "ZeroDivisionError: division by zero",
        "numba.core.errors.TypingError: cannot determine type",
        "triton.compiler.errors.CompilationError: arange's range must be a power of 2",
        "RuntimeError: CUDA error: invalid configuration argument",
        "AssertionError",
        "",
    ],
)
@pytest.mark.parametrize("own_check", [True, False])
def test_a_refusal_is_one_whoever_raised_it(message: str, own_check: bool) -> None:
    call = refused(9, OTHER_SIZE, message).model_copy(update={"own_check": own_check})
    verdict = _instead(call)
    assert verdict.status is Status.ACCEPTED and verdict.correct is Correct.YES
    assert verdict.workloads[OTHER_SIZE].outcome is Outcome.REFUSED
    assert ("no check of its own" in verdict.evidence[0].text) is not own_check


@pytest.mark.parametrize("name", ["SystemExit", "KeyboardInterrupt", "GeneratorExit"])
def test_what_ends_the_callers_process_is_no_refusal(name: str) -> None:
    verdict = _instead(refused(9, OTHER_SIZE, f"{name}: unsupported"))
    assert verdict.status is Status.DISHONEST and verdict.correct is Correct.NO
    assert verdict.workloads[OTHER_SIZE].outcome is Outcome.CRASHED


def test_who_writes_before_it_raises_is_wrong() -> None:
    for field, kind in (("inputs_changed", "input_changed"), ("bands_broken", "out_of_bounds")):
        call = refused(9, OTHER_SIZE).model_copy(update={field: ("input 0",)})
        verdict = _instead(call)
        assert verdict.status is Status.INCORRECT and kind in kinds(verdict.evidence)


def test_the_own_workload_is_answered_in_every_call() -> None:
    verdict = judge(case(LAYERS, *(good(n, n) for n in range(4)), refused(9, OWN)))
    assert verdict.status is Status.INCORRECT and verdict.correct is Correct.NO
    assert kinds(verdict.evidence) == {"raised"} and "every call" in verdict.reason


def test_values_of_the_own_shape_may_not_be_refused() -> None:
    """A workload that differs from the own one in its values alone."""
    ties = WORKLOADS[OWN].model_copy(update={"distribution": Distribution.TIES, "own": False})
    made = case(LAYERS, *(good(n, n) for n in range(4)), refused(9, 4))
    planned = plan().model_copy(update={"workloads": (*WORKLOADS, ties)})
    assert judge(replace(made, plan=planned)).status is Status.INCORRECT


def test_a_relation_of_another_shape_may_be_refused() -> None:
    """Its workload is answered; the relation's own call has more rows."""
    calls = [good(n, n) for n in range(4)]
    other = refused(9, OTHER_SIZE).model_copy(update={"other_shape": True})
    verdict = judge(case(LAYERS, *calls, other))
    assert verdict.status is Status.ACCEPTED
    assert verdict.workloads[OTHER_SIZE].outcome is Outcome.OK
    answered = good(9, OTHER_SIZE).model_copy(update={"other_shape": True})
    others = [good(n, n) for n in (OWN, OTHER_BATCH, TRANSPOSED)]
    kept = judge(case(LAYERS, *others, answered, refused(10, OTHER_SIZE)))
    assert kept.status is Status.ACCEPTED


def test_an_answer_now_and_then_is_not_hidden_behind_plain_refusals() -> None:
    """Evidence of one kind is cut to a few; what convicts stays."""
    shapes = [
        WORKLOADS[OTHER_SIZE].model_copy(update={"axes": {"rows": 16, "cols": n}})
        for n in range(40, 50)
    ]
    planned = plan().model_copy(update={"workloads": (*WORKLOADS, *shapes)})
    calls = [good(n, n) for n in range(4)] + [refused(10 + n, 4 + n) for n in range(10)]
    made = case(LAYERS, *calls, good(30, 13))
    verdict = judge(replace(made, plan=planned))
    assert verdict.status is Status.INCORRECT and "cols=49" in verdict.reason


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
