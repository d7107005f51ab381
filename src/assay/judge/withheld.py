"""When no ratio is stated of times that were taken on a CPU, and why.

The rule: a ratio stands on times that the clock resolves, on a machine that was quiet enough, and
on a clock that load did not hide. Where one of these is missing, speed alone is unknown.
"""

from __future__ import annotations

import statistics

from assay.data.observation import TimesSeen
from assay.measure.clock import ClockAnswer, clock_answer
from assay.measure.load import ADVICE, is_too_busy, load_words

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
