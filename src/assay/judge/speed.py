"""Is it fast? Ratios with intervals, from the raw samples.

The rule: all figures of a timing come from the same samples. Where the host is longer at handing
over a call than the device is at running it, on either side, the device's times say nothing of
what a caller waits for: then the host's times make the ratio, on both sides, and it is called
launch-bound.
"""

from __future__ import annotations

import statistics

from assay.data.measurement import Measurement, Timing
from assay.data.observation import TimesSeen
from assay.judge.case import Case
from assay.measure.drift import drift_remarks, throttling
from assay.measure.statistics import (
    Interval,
    difference,
    median_interval,
    paired_ratio,
    widened,
)

_SEED = 0  # of the bootstrap: the same samples give the same interval
CANDIDATE = "candidate"
# A host's time from call to result holds the device's own; only what is beyond this is waiting.
_HOST_BEYOND = 1.1


def timings(case: Case) -> tuple[tuple[Timing, ...] | None, str]:
    """The speedup against each baseline, or None; and why some or all are missing."""
    seen = list(case.seen(TimesSeen))
    lost = "; ".join(dict.fromkeys(one for times in seen for one in times.lost))
    found = tuple(_timing(own, other) for times in seen for own, other in _pairs(times))
    if found:
        return found, lost
    reason = next((times.reason for times in seen if times.reason), "the candidate was not timed")
    return None, f"{reason}: {lost}" if lost else reason


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
    by_host = bool(bound and own.host_us and other.host_us)
    mine, theirs = (own.host_us, other.host_us) if by_host else (own.samples_us, other.samples_us)
    alone = median_interval(mine, _SEED)
    ratio = paired_ratio(theirs, mine, _SEED) if by_host else speedup(own, other)
    return Timing(
        baseline=other.subject,
        candidate_us=alone.mid,
        baseline_us=statistics.median(theirs),
        speedup=ratio.mid,
        speedup_low=ratio.low,
        speedup_high=ratio.high,
        method=_method(own, bound, by_host),
        cache=own.cache,
        difference=difference(ratio),
        launch_bound=bound,
        candidate_low_us=alone.low,
        candidate_high_us=alone.high,
        remarks=_remarks(own, other),
    )


def speedup(own: Measurement, other: Measurement) -> Interval:
    """By the device's times; as much wider as two processes of one kernel may be apart."""
    shorter_us = min(statistics.median(own.samples_us), statistics.median(other.samples_us))
    share = min(0.5, max(own.apart_us, other.apart_us) / shorter_us)
    return widened(paired_ratio(other.samples_us, own.samples_us, _SEED), share)


def _method(own: Measurement, bound: bool | None, by_host: bool) -> str:
    text = f"{own.method}; {own.cache} cache"
    if by_host:
        return f"{text}; launch-bound: the host's times make the ratio, on both sides"
    return f"{text}; launch-bound, but only the device was timed" if bound else text


def _remarks(own: Measurement, other: Measurement) -> tuple[str, ...]:
    """What both sides say of themselves, and what the baseline says of the machine."""
    held = throttling(own.throttles)
    said = (*own.remarks, *other.remarks, *drift_remarks(other), *((held,) if held else ()))
    return tuple(dict.fromkeys(said))
