"""Values, shapes, memory, refusals and the row of each workload."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.data.evidence import EvidenceKind
from assay.data.observations.observation import (
    EndCause,
    Observation,
    RecurrenceSeen,
    RelationSeen,
    StateSeen,
)
from assay.data.verdict import Correct, Honest, Outcome, Status, Verdict
from assay.judge.decide import judge
from support.judge_inputs import (
    OTHER_BATCH,
    OTHER_SIZE,
    OWN,
    WORKLOADS,
    bad,
    case,
    ended,
    every_workload,
    good,
    kinds,
    plan,
    refused,
)


def _judge(*more: Observation) -> Verdict:
    return judge(case(*every_workload(), *more))


FORMS = [
    EvidenceKind.WRONG_VALUE,
    EvidenceKind.WRONG_SHAPE,
    EvidenceKind.WRONG_DTYPE,
    EvidenceKind.WRONG_TYPE,
    EvidenceKind.WRONG_COUNT,
    EvidenceKind.WRONG_BUFFER,
    EvidenceKind.NON_FINITE,
]


@pytest.mark.parametrize("kind", FORMS)
def test_each_form_of_wrong_is_incorrect(kind: EvidenceKind) -> None:
    verdict = _judge(bad(9, OTHER_SIZE, problem=kind, detail="so and so"))
    assert (verdict.status, verdict.correct, verdict.honest) == (
        Status.INCORRECT,
        Correct.NO,
        Honest.YES,
    )
    assert kinds(verdict.evidence) == {kind.value}
    assert verdict.workloads[OTHER_SIZE].outcome is Outcome.WRONG
    assert verdict.workloads[OWN].outcome is Outcome.OK


def test_a_wrong_value_says_how_wrong_and_where() -> None:
    reason = _judge(bad(9, OTHER_SIZE)).reason
    for part in ("rows=16, cols=33", "normal", "3 of 16", "40", "[2]", "expected 2.0"):
        assert part in reason


def test_old_weights_are_stale_and_not_a_memo() -> None:
    verdict = _judge(bad(9, matches_old_weights=True, matches_earlier_call=2))
    assert verdict.status is Status.INCORRECT
    assert kinds(verdict.evidence) == {"stale_weights"}
    assert "weights" in verdict.reason


def test_the_answer_of_a_later_call_was_overwritten() -> None:
    verdict = _judge(bad(9, matches_later_call=10))
    assert verdict.status is Status.INCORRECT and verdict.honest is Honest.YES
    assert kinds(verdict.evidence) == {"result_overwritten"}


def test_the_own_workload_must_not_raise() -> None:
    verdict = judge(case(refused(0, OWN, "RuntimeError: boom"), good(1, OTHER_SIZE)))
    assert verdict.status is Status.CRASHED and verdict.correct is Correct.NO
    assert "boom" in verdict.reason
    assert verdict.workloads[OWN].outcome is Outcome.REFUSED


def test_an_overwritten_input_is_wrong() -> None:
    seen = good(9).model_copy(update={"inputs_changed": ("input 0",)})
    verdict = _judge(seen)
    assert verdict.status is Status.INCORRECT
    assert kinds(verdict.evidence) == {"input_changed"}
    assert verdict.workloads[OWN].outcome is Outcome.WRONG


def test_memory_beside_an_input_is_out_of_bounds() -> None:
    seen = good(9).model_copy(update={"bands_broken": ("input 0",)})
    verdict = _judge(seen)
    assert verdict.status is Status.INCORRECT
    assert kinds(verdict.evidence) == {"out_of_bounds"}
    assert verdict.workloads[OWN].outcome is Outcome.WRONG


def test_a_fault_at_a_guard_page_is_out_of_bounds_and_no_crash() -> None:
    verdict = _judge(ended(EndCause.SIGNALLED, code=11, workload=OTHER_SIZE, guard_page=True))
    assert verdict.status is Status.INCORRECT and verdict.correct is Correct.NO
    assert kinds(verdict.evidence) == {"out_of_bounds"}
    assert verdict.workloads[OTHER_SIZE].outcome is Outcome.WRONG
    assert "cols=33" in verdict.reason


def test_a_fault_that_stays_without_the_guard_page_is_a_crash() -> None:
    verdict = _judge(ended(EndCause.SIGNALLED, code=11, workload=OTHER_SIZE))
    assert verdict.status is Status.CRASHED
    assert verdict.workloads[OTHER_SIZE].outcome is Outcome.CRASHED


ENDS = {
    EndCause.TIMED_OUT: Outcome.TIMED_OUT,
    EndCause.OUT_OF_MEMORY: Outcome.OUT_OF_MEMORY,
    EndCause.EXITED: Outcome.CRASHED,
    EndCause.PROCESS_LIMIT: Outcome.CRASHED,
    EndCause.BROKE_PROTOCOL: Outcome.CRASHED,
}


@pytest.mark.parametrize("cause", ENDS)
def test_the_row_says_how_the_process_ended(cause: EndCause) -> None:
    assert _judge(ended(cause, workload=OTHER_BATCH)).workloads[OTHER_BATCH].outcome is ENDS[cause]


def test_a_workload_nobody_reached_is_not_run() -> None:
    rows = judge(case(good(0))).workloads
    assert [row.outcome for row in rows] == [Outcome.OK] + [Outcome.NOT_RUN] * 3
    assert [row.error_budget_used for row in rows] == [0.2, None, None, None]


def test_the_row_carries_the_largest_share_and_null_where_it_is_not_finite() -> None:
    rows = judge(case(good(0, used=0.1), good(1, used=0.7), good(2, used=0.3))).workloads
    assert rows[OWN].error_budget_used == 0.7
    rows = judge(case(good(0, used=0.1), good(1, used=None))).workloads
    assert rows[OWN].error_budget_used is None


def test_many_findings_are_counted_and_not_all_spelled_out() -> None:
    calls = [bad(10 + n, n % 4) for n in range(40)]
    evidence = [e for e in _judge(*calls).evidence if e.kind is EvidenceKind.WRONG_VALUE]
    assert len(evidence) == 4
    assert "1 more" in evidence[-1].text


def test_answers_that_wander_are_noted_and_right() -> None:
    verdict = _judge(RecurrenceSeen(workload=OWN, calls=250, different=9))
    assert verdict.status is Status.ACCEPTED and verdict.correct is Correct.YES
    assert kinds(verdict.evidence) == {"not_repeatable"}
    assert "9 of 250" in verdict.evidence[0].text
    assert not _judge(RecurrenceSeen(workload=OWN, calls=250)).evidence


def test_a_broken_relation_is_wrong_and_every_relation_has_a_row() -> None:
    kept = RelationSeen(name="split", workload=OTHER_SIZE, holds=True, budget_used=0.1)
    broken = RelationSeen(name="permuted", workload=OTHER_SIZE, holds=False, text="far apart")
    verdict = _judge(kept, broken)
    assert verdict.status is Status.INCORRECT and kinds(verdict.evidence) == {"relation_broken"}
    assert "permuted: far apart" in verdict.reason
    rows = [(row.name, row.holds, row.error_budget_used) for row in verdict.relations]
    assert rows == [("split", True, 0.1), ("permuted", False, None)]


def test_the_other_mode_is_named_and_may_be_refused() -> None:
    made = case(*every_workload(), bad(9, 4))
    other = WORKLOADS[OWN].model_copy(update={"own": False, "training": False})
    planned = plan().model_copy(update={"workloads": (*WORKLOADS, other)})
    wrong = judge(replace(made, plan=planned))
    assert wrong.status is Status.INCORRECT and "eval()" in wrong.reason
    unasked = replace(made, plan=planned, observations=(*every_workload(), refused(9, 4)))
    assert judge(unasked).status is Status.ACCEPTED


def test_a_parameter_that_calls_change_is_incorrect_and_not_dishonest() -> None:
    verdict = _judge(StateSeen(when="called", name="parameters.fc.weight"))
    assert (verdict.status, verdict.honest) == (Status.INCORRECT, Honest.YES)
    assert kinds(verdict.evidence) == {EvidenceKind.INPUT_CHANGED.value}
    assert "fc.weight" in verdict.reason
