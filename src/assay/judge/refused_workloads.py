"""Refusals: what a candidate may leave unanswered.

The rule: loud is not wrong. An exception on a workload other than the task's own refuses that
workload, whoever raised it, and costs coverage. A refusal is a function of shape, dtype and layout
alone: a shape that is answered at another call, or with other values, must be answered every time.
The own workload is answered in every call. What would end the caller's process is a crash.
"""

from __future__ import annotations

import re

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.call import CallOutcome, CallSeen
from assay.data.verdict import Outcome
from assay.judge.judge_input import JudgeInput

_NAMED = re.compile(r"(?:constructor: )?([A-Za-z_]\w*)")
_EXITS = {"SystemExit", "KeyboardInterrupt", "GeneratorExit"}


def leaves(call: CallSeen) -> bool:
    """Whether a call raised what handlers of `Exception` let through, to end the process."""
    named = _NAMED.match(call.message.strip())
    return call.outcome is CallOutcome.RAISED and named is not None and named[1] in _EXITS


def findings(case: JudgeInput, call: CallSeen, where: str) -> list[Evidence]:
    """What one call that raised says against the candidate, or only about its coverage."""
    if any(o.problem is EvidenceKind.OUT_OF_MEMORY for o in call.outputs):
        return []
    said = call.message or "no message"
    if leaves(call):
        return [_convicts(EvidenceKind.RAISED, where, f"it leaves the caller's process: {said}")]
    if case.is_own(call.workload) and not call.other_shape:
        text = f"the task's own workload must be answered in every call, and raised: {said}"
        return [_convicts(EvidenceKind.RAISED, where, text)]
    answered = set() if call.other_shape else _alike_answered(case, call)
    if call.workload in answered:
        text = f"it answers this shape and layout, but not every time: {said}"
        return [_convicts(EvidenceKind.UNSUPPORTED, where, text)]
    if answered:
        text = f"it refuses values of a shape and layout that it answers: {said}"
        return [_convicts(EvidenceKind.UNSUPPORTED, where, text)]
    by = "" if call.own_check else " by an error that is no check of its own"
    kind, severity = EvidenceKind.UNSUPPORTED, Severity.NOTE
    return [Evidence(kind=kind, severity=severity, where=where, text=f"refused{by}: {said}")]


def outcome(raised: list[CallSeen]) -> Outcome:
    """The row of a workload on which calls raised."""
    return Outcome.CRASHED if any(map(leaves, raised)) else Outcome.REFUSED


def _alike_answered(case: JudgeInput, call: CallSeen) -> set[int]:
    """Workloads that differ from this one in their values at most, and were answered."""
    if case.plan is None:
        return set()
    planned = case.workloads
    drawn = {"distribution": planned[0].distribution, "scale": 0, "values": ()}
    values = {**drawn, "own": False}
    shape = planned[call.workload].model_copy(update=values)
    alike = {n for n, w in enumerate(planned) if w.model_copy(update=values) == shape}
    return alike & case.answered


def _convicts(kind: EvidenceKind, where: str, text: str) -> Evidence:
    return Evidence(kind=kind, severity=Severity.CONVICTS, where=where, text=text)
