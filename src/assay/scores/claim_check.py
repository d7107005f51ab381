"""Claim check: a claim against a verdict, in marks and sentences.

The rule: a kernel that is wrong or dishonest has no speed. A claimed figure holds where it lies in
the measured 95 % interval, or beyond it by no more than 2 %: figures are published with two or
three digits. An interval that holds 1 shows no speedup, whatever was claimed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.data.observations.measurement import Timing
from assay.data.published.recheck import Claim, ClaimFinding, ClaimMark, MeasuredSpeed, Recheck
from assay.data.verdict import Status, Verdict

_MARGIN = 0.02
_MARKS = list(ClaimMark)  # declared in order of precedence
_OF_STATUS = {
    Status.NOT_RUN: ClaimMark.UNKNOWN,
    Status.INVALID_TASK: ClaimMark.UNKNOWN,
    Status.BUILD_FAILED: ClaimMark.FAILED,
    Status.CRASHED: ClaimMark.FAILED,
    Status.TIMED_OUT: ClaimMark.FAILED,
    Status.OUT_OF_MEMORY: ClaimMark.FAILED,
    Status.DISHONEST: ClaimMark.CHEAT,
    Status.INCORRECT: ClaimMark.WRONG,
    Status.SUSPICIOUS: ClaimMark.DOUBTFUL,
    Status.ACCEPTED: ClaimMark.CONFIRMED,
}
_TIMED = (Status.ACCEPTED, Status.SUSPICIOUS)


@dataclass(frozen=True)
class ClaimCase:
    """Everything that one claim is checked with."""

    claim: Claim
    verdict: Verdict | None
    beyond: tuple[ClaimFinding, ...] = ()  # what the device cannot do
    unjudged: str = ""  # why there is no verdict
    incomparable: str = ""  # why speeds are not comparable


def rechecked(case: ClaimCase) -> Recheck:
    """The mark of a claim: that of its heaviest finding."""
    findings = sorted(_findings(case), key=lambda one: _MARKS.index(one.mark))
    return Recheck(
        claim=case.claim,
        mark=findings[0].mark,
        reason=findings[0].text,
        findings=tuple(findings),
        status=case.verdict.status if case.verdict else None,
        measured=measured_speed(case.verdict, case.claim.baseline) if case.verdict else None,
    )


def measured_speed(verdict: Verdict, baseline: str = "") -> MeasuredSpeed | None:
    """The speed against a baseline, the first unless it is named; None where none was measured."""
    timing = _timing(verdict, baseline)
    if timing is None:
        return None
    return MeasuredSpeed(
        device=verdict.environment.device.name,
        baseline=timing.baseline,
        speedup=timing.speedup,
        speedup_low=timing.speedup_low,
        speedup_high=timing.speedup_high,
        time_us=timing.candidate_us,
        time_low_us=timing.candidate_low_us,
        time_high_us=timing.candidate_high_us,
        baseline_us=timing.baseline_us,
    )


def _timing(verdict: Verdict, baseline: str) -> Timing | None:
    found = verdict.timing or ()
    return next((one for one in found if one.baseline == baseline), found[0] if found else None)


def _findings(case: ClaimCase) -> Iterator[ClaimFinding]:
    yield from case.beyond
    for text in case.claim.unread:
        yield ClaimFinding(mark=ClaimMark.UNKNOWN, text=f"not read: {text}")
    if case.verdict is None:
        text = f"not measured: {case.unjudged or 'nothing was judged'}"
        yield ClaimFinding(mark=ClaimMark.UNKNOWN, text=text)
        return
    if case.verdict.status in _TIMED:
        yield from _of_speed(case, case.verdict)
    yield _of_verdict(case, case.verdict)


def _of_verdict(case: ClaimCase, verdict: Verdict) -> ClaimFinding:
    """Right and honest; a kernel that its author calls wrong may be wrong."""
    mark = _OF_STATUS[verdict.status]
    text = f"{verdict.status.value}: {verdict.reason}"
    if case.claim.correct is False and mark in (ClaimMark.WRONG, ClaimMark.FAILED):
        return ClaimFinding(mark=ClaimMark.CONFIRMED, text=f"said not to be correct; {text}")
    if case.claim.correct is False and mark is ClaimMark.CONFIRMED:
        return ClaimFinding(mark=ClaimMark.UNDERSTATED, text=f"said not to be correct; {text}")
    if mark is ClaimMark.FAILED and case.incomparable:
        return ClaimFinding(mark=ClaimMark.UNKNOWN, text=f"{text} ({case.incomparable})")
    return ClaimFinding(mark=mark, text=text)


def _of_speed(case: ClaimCase, verdict: Verdict) -> Iterator[ClaimFinding]:
    claim, timing = case.claim, _timing(verdict, case.claim.baseline)
    if claim.speedup is None and claim.time_us is None:
        if claim.bytes_per_s is not None or claim.flops_per_s is not None:
            text = "a claimed rate is compared with limits only: its author's count is not known"
            yield ClaimFinding(mark=ClaimMark.UNKNOWN, text=text)
        return
    if timing is None or case.incomparable:
        why = case.incomparable or verdict.timing_reason or "nothing was timed"
        text = f"speed is not compared: {why}"
        yield ClaimFinding(mark=ClaimMark.UNKNOWN, text=text)
        return
    if claim.speedup is not None:
        yield from _of_ratio(claim.speedup, timing)
    if claim.time_us is not None:
        yield _of_time(claim.time_us, timing)


def _of_ratio(claimed: float, timing: Timing) -> Iterator[ClaimFinding]:
    low, high = timing.speedup_low, timing.speedup_high
    said = f"claimed {claimed:.3g}x, measured {timing.speedup:.2f}x [{low:.2f} {high:.2f}]"
    said = f"{said} against {timing.baseline}"
    if low <= 1.0 <= high and claimed > 1.0:
        text = f"{said}: the interval holds 1, so no difference was shown"
        yield ClaimFinding(mark=ClaimMark.NOISE, text=text)
    host_low, host_high = timing.host_speedup_low, timing.host_speedup_high
    if _within(claimed, low, high):
        yield ClaimFinding(mark=ClaimMark.CONFIRMED, text=said)
    elif host_low is not None and host_high is not None and _within(claimed, host_low, host_high):
        text = f"{said}; it is the ratio with the host's time [{host_low:.2f} {host_high:.2f}]"
        yield ClaimFinding(mark=ClaimMark.CONFIRMED, text=text)
    else:
        mark = ClaimMark.OVERSTATED if claimed > high else ClaimMark.UNDERSTATED
        yield ClaimFinding(mark=mark, text=said)


def _of_time(claimed: float, timing: Timing) -> ClaimFinding:
    low = timing.candidate_us if timing.candidate_low_us is None else timing.candidate_low_us
    high = timing.candidate_us if timing.candidate_high_us is None else timing.candidate_high_us
    text = f"claimed {claimed:.4g} us, measured {timing.candidate_us:.4g} us [{low:.4g} {high:.4g}]"
    if _within(claimed, low, high):
        return ClaimFinding(mark=ClaimMark.CONFIRMED, text=text)
    mark = ClaimMark.OVERSTATED if claimed < low else ClaimMark.UNDERSTATED
    return ClaimFinding(mark=mark, text=text)


def _within(claimed: float, low: float, high: float) -> bool:
    return (1 - _MARGIN) * low <= claimed <= (1 + _MARGIN) * high
