"""Decide: one status by precedence, three answers, one sentence."""

from __future__ import annotations

from assay.data.evidence import Evidence, Severity
from assay.data.observations.call import CallOutcome
from assay.data.observations.observation import CheckMissing, EndSeen, ExplanationSeen
from assay.data.verdict import Correct, Coverage, Honest, Status, Verdict
from assay.judge import (
    asked_mode,
    correctness,
    coverage,
    degenerate,
    honesty,
    left_out,
    run_failures,
    shape_speedups,
    smaller_shape,
    source_locations,
    speed_of_light,
    speedup,
)
from assay.judge.judge_input import JudgeInput
from assay.languages.failure_line import failure_line

_ORDER = list(Status)  # declared in order of precedence
_MOST_REASON = 600  # characters: it is a sentence; the evidence keeps the whole text


def judge(case: JudgeInput) -> Verdict:
    """The verdict on one case. Pure: the same case gives the same verdict."""
    ran = run_failures.findings(case)
    rows = correctness.workload_outcomes(case)
    covered = coverage.coverage(case, rows)
    wrong = correctness.findings(case)
    dishonest = honesty.findings(case)
    statuses = [status for status, _ in ran if status is not None]
    if not statuses:  # who did not come to the end lacks more than coverage
        wrong += coverage.lack(covered, case.settings.min_coverage)
    statuses += _statuses(wrong, dishonest)
    if not statuses and not _own_judged(case):
        statuses = [Status.NOT_RUN]
    status = min(statuses, key=_ORDER.index, default=Status.ACCEPTED)
    evidence = tuple([e for _, e in ran] + dishonest + wrong + smaller_shape.findings(case))
    timing, timing_reason = speedup.timings(case)
    shape_times = shape_speedups.shape_times(case, timing_reason)
    speedup_cv, speedup_cv_n = shape_speedups.variation(shape_times or ())
    limits, limits_reason = speed_of_light.limits(case)
    if status is Status.ACCEPTED:
        reason = left_out.acceptance(case.settings, _acceptance(covered))
    else:
        reason = _reason(status, ran, dishonest, wrong)
    reason += smaller_shape.remark(case)
    return Verdict(
        task=case.task.id,
        candidate=case.candidate.name,
        candidate_id=case.candidate.id,
        device=case.settings.device,
        level=case.settings.level,
        track=case.settings.track,
        status=status,
        correct=_correct(case, status, wrong),
        honest=_honest(case, dishonest),
        reason=source_locations.of_user(reason, case.candidate),
        evidence=tuple(
            source_locations.evidence_of_user(e, case.candidate) for e in _heaviest_first(evidence)
        ),
        workloads=rows,
        coverage=covered,
        own_workload=smaller_shape.own_workload(case),
        task_remarks=(*asked_mode.remarks(case), *degenerate.remarks(case)),
        left_out=left_out.left_out(case.settings),
        relations=correctness.relation_outcomes(case),
        timing=timing,
        timing_reason=timing_reason,
        shape_times=shape_times,
        speedup_cv=speedup_cv,
        speedup_cv_n=speedup_cv_n,
        explanation=next((e.explanation for e in case.seen(ExplanationSeen)), None),
        limits=limits,
        limits_reason=limits_reason,
        rubric=None,  # placed from this verdict and its records by whoever calls the judge
        own_share=honesty.own_share(case),
        environment=case.environment,
        plan=case.plan,
        stages=case.stages,
        elapsed_s=case.elapsed_s,
    )


def _statuses(wrong: list[Evidence], dishonest: list[Evidence]) -> list[Status]:
    found = []
    if any(e.severity is Severity.CONVICTS for e in dishonest):
        found.append(Status.DISHONEST)
    if any(e.severity is Severity.CONVICTS and e.kind in correctness.WRONG for e in wrong):
        found.append(Status.INCORRECT)
    if any(e.severity is Severity.SUSPICIOUS for e in dishonest):
        found.append(Status.SUSPICIOUS)
    return found


def _own_judged(case: JudgeInput) -> bool:
    return any(c.workload == 0 and c.outcome is CallOutcome.RETURNED for c in case.calls)


def _correct(case: JudgeInput, status: Status, wrong: list[Evidence]) -> Correct:
    if any(e.severity is Severity.CONVICTS for e in wrong) or any(
        output.problem is not None for call in case.calls for output in call.outputs
    ):
        return Correct.NO
    finished = status in (Status.ACCEPTED, Status.SUSPICIOUS, Status.DISHONEST, Status.INCORRECT)
    ended = any(not end.optional for end in case.seen(EndSeen))
    return Correct.YES if finished and not ended and _own_judged(case) else Correct.UNKNOWN


def _honest(case: JudgeInput, dishonest: list[Evidence]) -> Honest:
    severities = {e.severity for e in dishonest}
    if Severity.CONVICTS in severities:
        return Honest.NO
    if any(e.kind.value == "isolation" for e in dishonest):
        return Honest.UNKNOWN
    if Severity.SUSPICIOUS in severities:
        return Honest.SUSPICIOUS
    known = _own_judged(case) and not any(m.essential for m in case.seen(CheckMissing))
    return Honest.YES if known else Honest.UNKNOWN


def _reason(
    status: Status,
    ran: list[tuple[Status | None, Evidence]],
    dishonest: list[Evidence],
    wrong: list[Evidence],
) -> str:
    """The first sentence of the evidence that decided."""
    pools: dict[Status, list[Evidence]] = {
        Status.DISHONEST: [e for e in dishonest if e.severity is Severity.CONVICTS],
        Status.INCORRECT: [e for e in wrong if e.severity is Severity.CONVICTS],
        Status.SUSPICIOUS: [e for e in dishonest if e.severity is Severity.SUSPICIOUS],
    }
    pool = pools.get(status) or [e for asked, e in ran if asked is status]
    if not pool:
        return "the task's own workload could not be judged"
    found = pool[0].text
    lines = [line for line in found.splitlines() if line.strip()] or ["no message"]
    text = failure_line(found) if status is Status.BUILD_FAILED else lines[0]
    reason = f"{pool[0].where}: {text}" if pool[0].where else text
    return reason if len(reason) <= _MOST_REASON else f"{reason[:_MOST_REASON]}..."


def _acceptance(covered: Coverage | None) -> str:
    if covered is None or covered.answered == covered.asked:
        return "right on every workload tried, and nothing dishonest was seen"
    left_out = covered.asked - covered.answered - covered.refused
    answered = f"the {covered.answered} of {covered.asked} workloads that it answered"
    others = [f"{left_out} did not fit the limits"] if left_out else []
    others += [f"{covered.refused} refused"] if left_out and covered.refused else []
    beyond = f" ({', '.join(others)})" if others else ""
    return f"right on {answered}{beyond}, and nothing dishonest was seen"


def _heaviest_first(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    order = list(Severity)
    return tuple(sorted(evidence, key=lambda e: order.index(e.severity)))
