"""One status by precedence, three answers, one sentence, and the keys others rely on."""

from __future__ import annotations

import itertools
import json

import pytest

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import (
    BuildSeen,
    CheckMissing,
    CheckSeen,
    EndCause,
    HostFailed,
    LayersSeen,
    Observation,
    SourceSeen,
    TaskBroken,
    TimesSeen,
)
from assay.data.verdict import Correct, Honest, Status, Verdict
from assay.judge.decide import judge
from support.judge_inputs import (
    BUILT,
    LAYERS,
    OTHER_SIZE,
    bad,
    case,
    ended,
    every_workload,
    good,
    refused,
)

KEYS = """schema_version task candidate candidate_id device level track status correct honest reason
evidence workloads coverage own_workload task_remarks left_out relations timing timing_reason
shape_times speedup_cv speedup_cv_n explanation
limits limits_reason rubric
own_share environment plan stages elapsed_s""".split()


def _source(severity: Severity) -> SourceSeen:
    finding = Evidence(
        kind=EvidenceKind.DELEGATION, severity=severity, where="kernel.py:7", text="torch.sum"
    )
    return SourceSeen(findings=(finding,))


# Each status with one observation that asks for it, in order of precedence.
ASKING: dict[Status, Observation] = {
    Status.NOT_RUN: HostFailed(text="the warm parent died"),
    Status.INVALID_TASK: TaskBroken(text="the reference does not repeat itself"),
    Status.BUILD_FAILED: BuildSeen(
        ok=False, phase="import", seconds=1.0, cached=False, log="SyntaxError: invalid syntax"
    ),
    Status.CRASHED: ended(EndCause.SIGNALLED, code=6),
    Status.TIMED_OUT: ended(EndCause.TIMED_OUT),
    Status.OUT_OF_MEMORY: ended(EndCause.OUT_OF_MEMORY),
    Status.DISHONEST: _source(Severity.CONVICTS),
    Status.INCORRECT: bad(9),
    Status.SUSPICIOUS: _source(Severity.SUSPICIOUS),
}


def _asking(status: Status, *more: Observation) -> Verdict:
    return judge(case(*every_workload(), ASKING[status], *more))


def test_nothing_against_it_is_accepted() -> None:
    verdict = judge(case(*every_workload()))
    assert (verdict.status, verdict.correct, verdict.honest) == (
        Status.ACCEPTED,
        Correct.YES,
        Honest.YES,
    )
    assert verdict.reason and verdict.evidence == ()


@pytest.mark.parametrize("status", ASKING)
def test_each_status_is_reached_alone(status: Status) -> None:
    verdict = _asking(status)
    assert verdict.status is status
    assert verdict.reason and "\n" not in verdict.reason


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(ASKING, 2)))
def test_the_earlier_status_wins_and_all_evidence_stays(first: Status, second: Status) -> None:
    both = judge(case(*every_workload(), ASKING[second], ASKING[first]))
    ends = {Status.CRASHED, Status.TIMED_OUT, Status.OUT_OF_MEMORY}
    if first is Status.BUILD_FAILED and second in ends:
        assert both.status is second  # a build that was cut short did not fail by itself
        return
    assert both.status is first
    alone = {e.kind for status in (first, second) for e in _asking(status).evidence}
    assert alone == {e.kind for e in both.evidence}


@pytest.mark.parametrize("status", list(ASKING)[:6])
def test_what_did_not_run_to_its_end_is_not_known_to_be_right(status: Status) -> None:
    assert _asking(status).correct is Correct.UNKNOWN


ANSWERS = {
    Status.DISHONEST: (Correct.YES, Honest.NO),
    Status.INCORRECT: (Correct.NO, Honest.YES),
    Status.SUSPICIOUS: (Correct.YES, Honest.SUSPICIOUS),
}


@pytest.mark.parametrize("status", ANSWERS)
def test_the_answers_are_kept_apart(status: Status) -> None:
    verdict = _asking(status)
    assert (verdict.correct, verdict.honest) == ANSWERS[status]


@pytest.mark.parametrize("seen", [(), (LAYERS, BUILT), (LAYERS, BUILT, good(0, OTHER_SIZE))])
def test_an_own_workload_that_was_never_judged_is_not_run(seen: tuple[Observation, ...]) -> None:
    verdict = judge(case(*seen))
    assert verdict.status is Status.NOT_RUN
    assert (verdict.correct, verdict.honest) == (Correct.UNKNOWN, Honest.UNKNOWN)
    assert verdict.reason


def test_a_case_without_a_plan_can_be_judged() -> None:
    verdict = judge(case(TaskBroken(text="no Model in it"), planned=False))
    assert verdict.status is Status.INVALID_TASK
    assert verdict.reason == "no Model in it"
    assert verdict.workloads == () and verdict.plan is None


def test_an_essential_check_that_is_missing_is_not_run() -> None:
    missing = CheckMissing(check="own workload", reason="no memory", essential=True)
    assert judge(case(*every_workload(), missing)).status is Status.NOT_RUN
    noted = missing.model_copy(update={"essential": False})
    verdict = judge(case(*every_workload(), noted))
    assert verdict.status is Status.ACCEPTED
    assert [e.kind for e in verdict.evidence] == [EvidenceKind.UNKNOWN]


def test_a_machine_without_isolation_knows_no_honesty() -> None:
    layers = LayersSeen(held=(), missing=("namespaces", "landlock"), isolated=False)
    verdict = judge(case(layers, BUILT, good()))
    assert verdict.status is Status.SUSPICIOUS
    assert verdict.honest is Honest.UNKNOWN and verdict.correct is Correct.YES
    assert "namespaces" in verdict.reason


def test_without_isolation_a_cheat_is_still_a_cheat() -> None:
    layers = LayersSeen(held=(), missing=("namespaces",), isolated=False)
    verdict = judge(case(layers, BUILT, good(), ASKING[Status.DISHONEST]))
    assert (verdict.status, verdict.honest) == (Status.DISHONEST, Honest.NO)


def test_the_heaviest_evidence_comes_first() -> None:
    note = CheckMissing(check="weights", reason="none", essential=False)
    seen = (*every_workload(), note, _source(Severity.SUSPICIOUS), _source(Severity.CONVICTS))
    severities = [e.severity for e in judge(case(*seen)).evidence]
    assert severities == sorted(severities, key=list(Severity).index)
    assert severities[0] is Severity.CONVICTS


def test_the_place_stands_before_the_sentence() -> None:
    assert _asking(Status.DISHONEST).reason == "kernel.py:7: torch.sum"


@pytest.mark.parametrize("status", [Status.NOT_RUN, Status.INVALID_TASK, Status.CRASHED])
@pytest.mark.parametrize("text", ["", "  \n "])
def test_a_silent_failure_still_has_a_reason(status: Status, text: str) -> None:
    silent = ASKING[status].model_copy(update={"text": text})
    verdict = judge(case(*every_workload(), silent))
    assert verdict.status is status and verdict.reason.strip()


def test_the_verdict_is_a_pure_function() -> None:
    seen = (*every_workload(), *ASKING.values(), refused(20, OTHER_SIZE))
    first, second = judge(case(*seen)), judge(case(*seen))
    assert first == second
    assert first.model_dump_json() == second.model_dump_json()


def test_a_stored_case_is_judged_alike() -> None:
    """Observations that went to disk and back give the same verdict."""
    seen = (*every_workload(), *ASKING.values())
    again = tuple(type(o).model_validate_json(o.model_dump_json()) for o in seen)
    assert judge(case(*again)) == judge(case(*seen))


def test_the_keys_are_the_contract() -> None:
    data = json.loads(_asking(Status.INCORRECT).model_dump_json())
    assert list(data) == KEYS
    assert set(data["evidence"][0]) == {"kind", "severity", "where", "text"}
    assert set(data["workloads"][0]) == set(
        "axes dtype layout distribution direction outcome error_budget_used".split()
    )
    assert data["timing"] is None and data["timing_reason"]
    assert data["limits"] is None
    assert data["correct"] in ("yes", "no", "unknown")
    assert data["honest"] in ("yes", "no", "suspicious", "unknown")


def test_what_was_asked_for_is_passed_on() -> None:
    wanted = case(*every_workload(), TimesSeen(reason="timing was switched off"))
    verdict = judge(wanted)
    assert verdict.task == "row_sum" and verdict.candidate == wanted.candidate.name
    assert verdict.candidate_id == wanted.candidate.id
    assert verdict.rubric is None and verdict.plan == wanted.plan
    assert verdict.elapsed_s == 2.5
    assert verdict.timing_reason == "timing was switched off"


@pytest.mark.parametrize(
    ("kind", "severity", "status"),
    [
        (EvidenceKind.WRONG_VALUE, Severity.CONVICTS, Status.INCORRECT),
        (EvidenceKind.REACHED_OUT, Severity.CONVICTS, Status.DISHONEST),
        (EvidenceKind.CLOCK, Severity.SUSPICIOUS, Status.SUSPICIOUS),
        (EvidenceKind.CLOCK, Severity.NOTE, Status.ACCEPTED),
        (EvidenceKind.NOT_REPEATABLE, Severity.NOTE, Status.ACCEPTED),
    ],
)
def test_what_a_check_states_counts_by_its_kind_and_severity(
    kind: EvidenceKind, severity: Severity, status: Status
) -> None:
    found = Evidence(kind=kind, severity=severity, text="as seen")
    verdict = judge(case(*every_workload(), CheckSeen(check="of others", findings=(found,))))
    assert verdict.status is status and found in verdict.evidence
