"""How near to the speed of light? The floor of the task, and what came below it.

The rule: only bytes that had to move can show that a kernel has not read its inputs, only on cold
caches, and only where even the slow end of its interval, with what was subtracted added again, lies
below their time. Fewer products than the reference's are honest: beating the arithmetic is a note.
A floor that the baseline beats too is a floor in doubt, not a candidate.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.limits import Peaks, TaskLimits
from assay.data.observations.measurement import Measurement
from assay.data.observations.observation import LimitsSeen, TimesSeen
from assay.data.verdict import Limits
from assay.devices.device_registry import is_accelerated
from assay.judge.judge_input import JudgeInput
from assay.judge.speedup import CANDIDATE
from assay.limits.efficiency import compulsory_us, efficiency
from assay.timing.statistics.intervals import LEAST_ROUNDS, median_interval

_COLD = "cold"


def limits(case: JudgeInput) -> tuple[Limits | None, str]:
    """The floor and how near the candidate came, or None and why."""
    seen = next(case.seen(LimitsSeen), LimitsSeen(reason="its work was not traced"))
    if seen.limits is None or seen.peaks is None:
        return None, seen.reason
    stated = Limits(
        bytes=seen.limits.bytes_read + seen.limits.bytes_written,
        flops=sum(seen.limits.flops.values()),
        sol_us=seen.limits.sol_us,
        sol_fraction=None,
        bound=seen.limits.bound,
        board=seen.limits.board,
    )
    own = min(_of(case, CANDIDATE), key=lambda one: one.cache != _COLD, default=None)
    return (_achieved(case, stated, seen.limits, seen.peaks, own) if own else stated), ""


def _achieved(
    case: JudgeInput, stated: Limits, floor: TaskLimits, peaks: Peaks, own: Measurement
) -> Limits:
    """With a time. On warm caches the bytes need not move: no share of their floor is stated."""
    time_us = statistics.median(own.samples_us)
    if time_us <= 0.0:
        return stated
    baseline = next((one for one in _baselines(case) if one.cache == own.cache), None)
    baseline_us = statistics.median(baseline.samples_us) if baseline else None
    found = efficiency(floor, peaks, time_us, baseline_us)
    held = own.cache == _COLD or floor.bound == "arithmetic"
    return stated.model_copy(
        update={
            "time_us": time_us,
            "sol_fraction": found.sol_fraction if held else None,
            "violation": found.violation if held else None,
            "sol_score": found.sol_score if held else None,
            "iou": found.iou if own.cache == _COLD else None,
            "mfu": found.mfu,
            "bytes_per_s": found.bytes_per_s,
            "flops_per_s": found.flops_per_s,
        }
    )


def findings(case: JudgeInput) -> list[Evidence]:
    """Times that physics does not allow. Never from a CPU, whose peaks vary."""
    if not is_accelerated(case.environment.device.kind):
        return []
    seen = next((one for one in case.seen(LimitsSeen) if one.limits and one.peaks), None)
    if seen is None or seen.limits is None or seen.peaks is None:
        return []
    cache_bytes = case.environment.device.caches.llc_bytes or 0
    least_us = compulsory_us(seen.limits, seen.peaks, cache_bytes)
    for own in _of(case, CANDIDATE):
        slow_us = _slow_end_us(own)
        if slow_us is None:
            continue
        cold = own.cache == _COLD
        if cold and slow_us < least_us:
            return [_below_bytes(case, slow_us, least_us)]
        if cold and slow_us < seen.limits.memory_us:
            text = f"the time for its bytes, {seen.limits.memory_us:.3g} us: caches may explain it"
            return [_evidence(Severity.NOTE, slow_us, text)]
        if slow_us < seen.limits.arithmetic_us:
            text = f"the time for the reference's products, {seen.limits.arithmetic_us:.3g} us"
            return [_evidence(Severity.NOTE, slow_us, f"{text}: it may need fewer of them")]
    return []


def _below_bytes(case: JudgeInput, slow_us: float, least_us: float) -> Evidence:
    text = f"what moving the bytes that it must read needs at the least, {least_us:.3g} us"
    ends = [(one.subject, _slow_end_us(one)) for one in _baselines(case) if one.cache == _COLD]
    beaten = [name for name, end in ends if end is not None and end < least_us]
    if beaten:
        text += f"; so does {beaten[0]}, and the floor is in doubt"
    return _evidence(Severity.NOTE if beaten else Severity.SUSPICIOUS, slow_us, text)


def _evidence(severity: Severity, slow_us: float, text: str) -> Evidence:
    said = f"even the slow end of its time, {slow_us:.3g} us, lies below {text}"
    return Evidence(kind=EvidenceKind.FASTER_THAN_LIGHT, severity=severity, text=said)


def _slow_end_us(one: Measurement) -> float | None:
    """The upper end of its interval, as it was before a fixed cost was subtracted."""
    if len(one.samples_us) < LEAST_ROUNDS:
        return None
    return median_interval(one.samples_us).high + one.offset_us


def _of(case: JudgeInput, subject: str) -> Iterator[Measurement]:
    return (m for times in case.seen(TimesSeen) for m in times.measurements if m.subject == subject)


def _baselines(case: JudgeInput) -> Iterator[Measurement]:
    times = (m for seen in case.seen(TimesSeen) for m in seen.measurements)
    return (m for m in times if m.subject != CANDIDATE)
