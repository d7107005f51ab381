"""Is it fast? Ratios with intervals, from the raw samples."""

from __future__ import annotations

import statistics

from assay.data.measurement import Measurement, Timing
from assay.data.observation import TimesSeen
from assay.judge.case import Case
from assay.measure.statistics import paired_ratio

_SEED = 0  # of the bootstrap: the same samples give the same interval


def timings(case: Case) -> tuple[tuple[Timing, ...] | None, str]:
    """The speedup against each baseline, or None and why."""
    reason = "the candidate was not timed"
    for times in case.seen(TimesSeen):
        if times.reason:
            reason = times.reason
        by_name = {m.subject: m for m in times.measurements}
        own = by_name.pop("candidate", None)
        if own is not None and by_name:
            return tuple(_timing(own, other) for other in by_name.values()), ""
    return None, reason


def _timing(own: Measurement, other: Measurement) -> Timing:
    ratio = paired_ratio(other.samples_us, own.samples_us, _SEED)
    return Timing(
        baseline=other.subject,
        candidate_us=statistics.median(own.samples_us),
        baseline_us=statistics.median(other.samples_us),
        speedup=ratio.mid,
        speedup_low=ratio.low,
        speedup_high=ratio.high,
        method=f"{own.method}; {own.cache} cache",
    )
