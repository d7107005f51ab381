"""How a candidate behaved beside its answers: what it left, where it wrote, what its clock says."""

from __future__ import annotations

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import (
    EndCause,
    EndSeen,
    LayersSeen,
    LeftoverSeen,
    TimesSeen,
)
from assay.judge.judge_input import JudgeInput
from assay.timing.statistics.clock_agreement import LEAST_SHARE, ClockAnswer, clock_answer

_ESCAPES = ("GeneratorExit", "KeyboardInterrupt", "SystemExit")


def findings(case: JudgeInput) -> list[Evidence]:
    """Leftovers, forgery, escapes, clocks, and whether any of it can be known."""
    looks = (_leftovers, _protocol, _escapes, _clock, _isolation)
    return [evidence for look in looks for evidence in look(case)]


def _escapes(case: JudgeInput) -> list[Evidence]:
    """Exceptions that end a program, raised where an answer was asked for."""
    raised = [c.message for c in case.calls if c.message.startswith(_ESCAPES)]
    if not raised:
        return []
    text = f"{len(raised)} calls raised what passes every ordinary handler: {raised[0][:100]}"
    return [_convicts(EvidenceKind.FORGERY, text)]


def _leftovers(case: JudgeInput) -> list[Evidence]:
    found = list(case.seen(LeftoverSeen))
    if not found:
        return []
    text = f"{found[0].text} ({found[0].when})"
    return [_convicts(EvidenceKind.LEFTOVER, text)]


def _protocol(case: JudgeInput) -> list[Evidence]:
    for end in case.seen(EndSeen):
        if end.cause is EndCause.BROKE_PROTOCOL:
            return [_convicts(EvidenceKind.FORGERY, f"the private channel was used: {end.text}")]
    return []


def _clock(case: JudgeInput) -> list[Evidence]:
    for times in case.seen(TimesSeen):
        share = times.inside_share
        if share is not None and times.measurements and _leaves_time_out(times, share):
            text = f"its own clock accounts for {100 * share:.0f} % of the time seen from outside"
            # Behind a gate there is no cost of launching that could explain it.
            gated = all(m.gated for m in times.measurements)
            severity = Severity.CONVICTS if gated else Severity.SUSPICIOUS
            kind = EvidenceKind.CLOCK
            return [Evidence(kind=kind, severity=severity, text=text)]
    return []


def _leaves_time_out(times: TimesSeen, share: float) -> bool:
    """By its rounds where they were kept: load alone is no evidence."""
    if times.clock_rounds:
        return clock_answer(times.clock_rounds) is ClockAnswer.LIE
    return share < LEAST_SHARE


def _isolation(case: JudgeInput) -> list[Evidence]:
    for layers in case.seen(LayersSeen):
        if not layers.isolated:
            text = f"this machine lacks {', '.join(layers.missing)}: honesty cannot be known"
            return [Evidence(kind=EvidenceKind.ISOLATION, severity=Severity.SUSPICIOUS, text=text)]
    return []


def _convicts(kind: EvidenceKind, text: str) -> Evidence:
    return Evidence(kind=kind, severity=Severity.CONVICTS, text=text)
