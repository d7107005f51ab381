"""Refusals: what a candidate may leave unanswered, and how much it answered.

The rule: silence is never right. A clear refusal - an exception of the candidate's own check, with
a message - costs coverage; a refusal of what every kernel must support, a refusal that follows the
values instead of the shape, and an error that is no check at all are wrong.
"""

from __future__ import annotations

import re

from assay.data.call import CallOutcome, CallSeen
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.verdict import Coverage, Outcome, WorkloadOutcome
from assay.judge.case import Case

_NAMED = re.compile(r"(?:constructor: )?([A-Za-z_][\w.]*)(?:: (.*))?\Z", re.DOTALL)
_CHECKS = {"ValueError", "TypeError", "NotImplementedError", "RuntimeError", "AssertionError"}
_LIBRARIES = {"torch", "numpy", "numba", "llvmlite", "triton", "ctypes", "cffi", "subprocess"}
_LAYOUT_WORDS = ("contiguous", "stride")
_ANSWERED = (Outcome.OK, Outcome.WRONG)


def is_clear(case: Case, call: CallSeen) -> bool:
    """Whether a call that raised said what it does not support.

    A library that refuses the strides it was handed says as clearly what is not supported.
    """
    named = _NAMED.match(call.message.strip())
    if named is None or not named[2]:
        return False
    if _other_layout(case, call) and any(word in named[2] for word in _LAYOUT_WORDS):
        return True
    package, _, _ = named[1].rpartition(".")
    own = package.partition(".")[0] not in _LIBRARIES if package else named[1] in _CHECKS
    return own and call.own_check


def findings(case: Case, call: CallSeen, where: str) -> list[Evidence]:
    """What one call that raised says against the candidate, or only about its coverage."""
    if any(o.problem is EvidenceKind.OUT_OF_MEMORY for o in call.outputs):
        return []
    said = call.message or "no message"
    if call.workload == 0:
        return [_convicts(EvidenceKind.RAISED, where, f"it raised: {said}")]
    if not is_clear(case, call):
        text = f"it broke, and refused nothing by a check of its own: {said}"
        return [_convicts(EvidenceKind.RAISED, where, text)]
    if case.must_support(call.workload):
        text = f"a legal batch of the task's own shape is refused: {said}"
        return [_convicts(EvidenceKind.UNSUPPORTED, where, text)]
    if call.workload in _alike_answered(case, call):
        text = f"it answers this shape and layout, but not every time: {said}"
        return [_convicts(EvidenceKind.UNSUPPORTED, where, text)]
    if _alike_answered(case, call):
        text = f"it refuses values of a shape and layout that it answers: {said}"
        return [_convicts(EvidenceKind.UNSUPPORTED, where, text)]
    kind, severity = EvidenceKind.UNSUPPORTED, Severity.NOTE
    return [Evidence(kind=kind, severity=severity, where=where, text=f"refused: {said}")]


def outcome(case: Case, call: CallSeen) -> Outcome:
    """The row of a workload on which a call raised."""
    return Outcome.REFUSED if is_clear(case, call) else Outcome.CRASHED


def coverage(rows: tuple[WorkloadOutcome, ...]) -> Coverage | None:
    """How many of the workloads got an answer; None where nothing was planned."""
    if not rows:
        return None
    answered = sum(row.outcome in _ANSWERED for row in rows)
    refused = sum(row.outcome is Outcome.REFUSED for row in rows)
    return Coverage(asked=len(rows), answered=answered, refused=refused, share=answered / len(rows))


def _alike_answered(case: Case, call: CallSeen) -> set[int]:
    """Workloads that differ from this one in their values at most, and were answered."""
    if case.plan is None:
        return set()
    planned = case.plan.workloads
    values = {"distribution": planned[0].distribution, "scale": 0, "own": False}
    shape = planned[call.workload].model_copy(update=values)
    alike = {n for n, w in enumerate(planned) if w.model_copy(update=values) == shape}
    returned = {c.workload for c in case.calls if c.outcome is CallOutcome.RETURNED}
    return alike & returned


def _other_layout(case: Case, call: CallSeen) -> bool:
    if case.plan is None:
        return False
    return case.plan.workloads[call.workload].layout is not case.plan.workloads[0].layout


def _convicts(kind: EvidenceKind, where: str, text: str) -> Evidence:
    return Evidence(kind=kind, severity=Severity.CONVICTS, where=where, text=text)
