"""Did it run? Findings about builds, ends and what could not be tried."""

from __future__ import annotations

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.call import CallOutcome
from assay.data.observations.observation import (
    BuildSeen,
    CheckMissing,
    EndCause,
    EndSeen,
    HostFailed,
    TaskBroken,
)
from assay.data.verdict import Status
from assay.judge.judge_input import JudgeInput
from assay.judge.run_obstacle import obstacle

# What compilers and their drivers say in Python's words, when a first call compiles.
_COMPILER_WORDS = (
    "Error building extension",
    "CalledProcessError",
    "CompilationError",
    "numba.core.errors",
    "TypingError",
    "LoweringError",
    "ninja",
    "undefined symbol",
    "SyntaxError",
)
_ENDS = {
    EndCause.TIMED_OUT: (Status.TIMED_OUT, EvidenceKind.TIMED_OUT),
    EndCause.OUT_OF_MEMORY: (Status.OUT_OF_MEMORY, EvidenceKind.OUT_OF_MEMORY),
    EndCause.PROCESS_LIMIT: (Status.CRASHED, EvidenceKind.LIMIT),
    EndCause.EXITED: (Status.CRASHED, EvidenceKind.CRASHED),
    EndCause.SIGNALLED: (Status.CRASHED, EvidenceKind.CRASHED),
    EndCause.BROKE_PROTOCOL: (Status.DISHONEST, EvidenceKind.FORGERY),
}

_LACKS = {EndCause.TIMED_OUT: "time", EndCause.OUT_OF_MEMORY: "memory"}


def findings(case: JudgeInput) -> list[tuple[Status | None, Evidence]]:
    """Each finding with the status it asks for."""
    found: list[tuple[Status | None, Evidence]] = []
    for failure in case.seen(HostFailed):
        found.append((Status.NOT_RUN, _convicts(EvidenceKind.UNKNOWN, "", failure.text)))
    for broken in case.seen(TaskBroken):
        evidence = _convicts(EvidenceKind.INVALID_TASK, "", broken.text)
        found.append((Status.INVALID_TASK, evidence))
    ends = [end for end in case.seen(EndSeen) if not end.optional]
    for build in case.seen(BuildSeen):
        if not build.ok and not ends:
            found.append(_build(case, build))
    found += [_end(case, end) for end in ends if not end.guard_page]
    left_out = [end for end in case.seen(EndSeen) if end.optional]
    for cause in _LACKS:
        alike = [end for end in left_out if end.cause is cause]
        found += [(None, _left_out(alike, cause))] if alike else []
    found += _exhausted_calls(case)
    found += [(Status.NOT_RUN if m.essential else None, _missing(m)) for m in _checks(case)]
    return found


def _build(case: JudgeInput, build: BuildSeen) -> tuple[Status, Evidence]:
    ran = build.phase == "first call" and not any(w in build.log for w in _COMPILER_WORDS)
    status = Status.CRASHED if ran else Status.BUILD_FAILED
    kind = EvidenceKind.RAISED if ran else EvidenceKind.BUILD_FAILED
    met = obstacle(case, build.log)
    if met is None:
        return status, _convicts(kind, build.phase, build.log.strip() or "no message")
    if met.status is not None:
        return met.status, _convicts(EvidenceKind.UNKNOWN, build.phase, met.text)
    return status, _convicts(kind, build.phase, met.text)


def _end(case: JudgeInput, end: EndSeen) -> tuple[Status, Evidence]:
    status, kind = _ENDS[end.cause]
    return status, _convicts(kind, case.place(end.workload) or end.phase, end.text)


def _left_out(ends: list[EndSeen], cause: EndCause) -> Evidence:
    lack = f"left out, as they did not fit the {_LACKS[cause]}"
    text = f"{lack}: {len(ends)} workloads other than the own one"
    kind, where = _ENDS[cause][1], ends[0].phase
    return Evidence(kind=kind, severity=Severity.NOTE, where=where, text=text)


def _exhausted_calls(case: JudgeInput) -> list[tuple[Status | None, Evidence]]:
    for call in case.calls:
        for output in call.outputs:
            if output.problem is EvidenceKind.OUT_OF_MEMORY:
                evidence = _convicts(EvidenceKind.OUT_OF_MEMORY, "", output.detail)
                return [(Status.OUT_OF_MEMORY, evidence)]
    raised = [c for c in case.calls if c.outcome is CallOutcome.RAISED]
    for call in raised:
        if case.is_own(call.workload) and call.workload not in case.answered:
            return [_raised(case, call.message)]
    return []


def _raised(case: JudgeInput, message: str) -> tuple[Status, Evidence]:
    met = obstacle(case, message)
    if met is not None and met.status is not None:
        return met.status, _convicts(EvidenceKind.UNKNOWN, "", met.text)
    text = met.text if met is not None else f"the task's own workload raised: {message}"
    return Status.CRASHED, _convicts(EvidenceKind.RAISED, "", text)


def _checks(case: JudgeInput) -> list[CheckMissing]:
    return list({m.check + m.reason: m for m in case.seen(CheckMissing)}.values())


def _missing(missing: CheckMissing) -> Evidence:
    text = f"{missing.check}: {missing.reason}"
    return Evidence(kind=EvidenceKind.UNKNOWN, severity=Severity.NOTE, text=text)


def _convicts(kind: EvidenceKind, where: str, text: str) -> Evidence:
    return Evidence(kind=kind, severity=Severity.CONVICTS, where=where, text=text)
