"""Is it fast? Ratios with intervals, from the raw samples.

The rule: the speedup and both its times come from the same samples, on a device always from the
device's own time. What a caller waits for has a ratio and an interval of its own beside it. Where
the host is longer at handing over a call than the device is at running it, on either side, the
comparison is called launch-bound; that never changes the speedup. A time that the clock does not
resolve makes no ratio.

When no ratio is stated of times that were taken on a CPU, and why.

The rule: a ratio stands on times that the clock resolves, on a machine that was quiet enough, and
on a clock that load did not hide. Where one of these is missing, speed alone is unknown.
"""

from __future__ import annotations

import math
import statistics

from assay.data.observations.measurement import Measurement, Timing
from assay.data.observations.observation import TimesSeen
from assay.judge.judge_input import JudgeInput
from assay.timing.statistics.clock_agreement import ClockAnswer, clock_answer
from assay.timing.statistics.drift import drift_remarks, throttling
from assay.timing.statistics.intervals import (
    Interval,
    difference,
    median_interval,
    paired_ratio,
    widened,
)
from assay.timing.statistics.load_effect import ADVICE, is_too_busy, load_words

_RESOLVED = 2.0  # times the resolution


def why_withheld(times: TimesSeen) -> str:
    """The reason in words; empty where a ratio may be stated."""
    if not times.measurements:
        return ""
    if times.load is not None and is_too_busy(times.load):
        return f"the machine was too busy to time anything: {load_words(times.load)}; {ADVICE}"
    unresolved = _unresolved(times)
    if unresolved:
        return unresolved
    unknown = times.clock_rounds and clock_answer(times.clock_rounds) is ClockAnswer.UNKNOWN
    return f"load hides whether its own clock is true; {ADVICE}" if unknown else ""


def _unresolved(times: TimesSeen) -> str:
    """A time by the outside clock that is hardly longer than what empty batches may be off by."""
    for one in times.measurements:
        time_us = statistics.median(one.samples_us)
        if one.clock == "outside" and time_us < _RESOLVED * times.resolution_us:
            return (
                f"the time of {one.subject} is below what the clock resolves here, "
                f"{_RESOLVED * times.resolution_us:.3g} us a call"
            )
    return ""


_SEED = 0  # of the bootstrap: the same samples give the same interval
CANDIDATE = "candidate"
# A host's time from call to result holds the device's own; only what is beyond this is waiting.
_HOST_BEYOND = 1.1
# Times are kept above zero by this much: one at the floor is what the clock could not tell from
# the null candidate's.
_FLOOR_US = 0.00101


def timings(case: JudgeInput) -> tuple[tuple[Timing, ...] | None, str]:
    """The speedup against each baseline, or None; and why some or all are missing."""
    seen = list(case.seen(TimesSeen))
    withheld = {id(times): why_withheld(times) for times in seen}
    pairs = [p for times in seen if not withheld[id(times)] for p in _pairs(times)]
    below = [f"{other.subject}: {why}" for own, other in pairs if (why := unresolved(own, other))]
    lost = "; ".join(dict.fromkeys([*(one for times in seen for one in times.lost), *below]))
    found = tuple(_timing(own, other) for own, other in pairs if not unresolved(own, other))
    reasons = [withheld[id(times)] or times.reason for times in seen]
    if found:
        return found, "; ".join(dict.fromkeys(filter(None, [*reasons, lost])))
    untimed = "no ratio can be stated" if pairs else "the candidate was not timed"
    reason = next(filter(None, reasons), untimed)
    return None, f"{reason}: {lost}" if lost else reason


def first_timing(times: TimesSeen) -> tuple[Timing | None, str]:
    """The speedup against the first baseline of one row of rounds, or why there is none."""
    withheld = why_withheld(times)
    pairs = [] if withheld else _pairs(times)
    if not pairs:
        lost = "; ".join(times.lost)
        reason = withheld or times.reason or "no baseline could be run"
        return None, f"{reason}: {lost}" if lost else reason
    why = unresolved(*pairs[0])
    return (None, f"{pairs[0][1].subject}: {why}") if why else (_timing(*pairs[0]), "")


def unresolved(own: Measurement, other: Measurement) -> str:
    """Which of two times the clock does not resolve, in words; empty where it resolves both."""
    for one in (own, other):
        least_us = max(_FLOOR_US, one.apart_us)
        if median_interval(one.samples_us, _SEED).low <= least_us:
            whose = "its" if one is other else "the candidate's"
            return f"{whose} time is below what the clock resolves, {least_us:.2g} us a call"
    return ""


def _pairs(times: TimesSeen) -> list[tuple[Measurement, Measurement]]:
    """Candidate and baseline of the same rounds, on caches in the same state."""
    return [
        (own, other)
        for own in times.measurements
        for other in times.measurements
        if own.subject == CANDIDATE != other.subject and own.cache == other.cache
    ]


def launch_bound(own: Measurement, other: Measurement) -> bool | None:
    """The host is longer than the device on either side; None where that was not measured."""
    sides = {_waits_for_host(own), _waits_for_host(other)}
    if True in sides:
        return True
    return None if None in sides else False


def _waits_for_host(one: Measurement) -> bool | None:
    device_us = statistics.median(one.samples_us)
    if one.launch_us:
        return statistics.median(one.launch_us) > device_us
    if one.host_us:
        return statistics.median(one.host_us) > _HOST_BEYOND * device_us
    return None


def _timing(own: Measurement, other: Measurement) -> Timing:
    bound = launch_bound(own, other)
    alone = median_interval(own.samples_us, _SEED)
    ratio, host = speedup(own, other), host_speedup(own, other)
    return Timing(
        baseline=other.subject,
        candidate_us=alone.mid,
        baseline_us=statistics.median(other.samples_us),
        speedup=ratio.mid,
        speedup_low=ratio.low,
        speedup_high=ratio.high,
        host_speedup=host.mid if host else None,
        host_speedup_low=host.low if host else None,
        host_speedup_high=host.high if host else None,
        method=_method(own, bound),
        cache=own.cache,
        difference=difference(ratio),
        launch_bound=bound,
        candidate_low_us=alone.low,
        candidate_high_us=alone.high,
        remarks=_remarks(own, other),
    )


def speedup(own: Measurement, other: Measurement) -> Interval:
    """By the samples; as much wider as two processes of one kernel may be apart, on either side.

    `apart_us` is of two sides, so that each has its share of the squares.
    """
    shares = [one.apart_us / statistics.median(one.samples_us) for one in (own, other)]
    share = min(0.5, math.hypot(*shares) / math.sqrt(2.0))
    return widened(paired_ratio(other.samples_us, own.samples_us, _SEED), share)


def host_speedup(own: Measurement, other: Measurement) -> Interval | None:
    """By what a caller waits for; None where that was not measured on both sides."""
    if not (own.host_us and other.host_us):
        return None
    return paired_ratio(other.host_us, own.host_us, _SEED)


def _method(own: Measurement, bound: bool | None) -> str:
    text = f"{own.method}; {own.cache} cache"
    return f"{text}; launch-bound: a caller waits for the host" if bound else text


def _remarks(own: Measurement, other: Measurement) -> tuple[str, ...]:
    """What both sides say of themselves, and what the baseline says of the machine."""
    held = throttling(own.throttles)
    said = (*own.remarks, *other.remarks, *drift_remarks(other), *((held,) if held else ()))
    return tuple(dict.fromkeys(said))
