"""Watched rounds: whether a candidate works otherwise in timed rounds in which it is looked at.

The rule: a thread that is stopped and let go again has done the same work in the same processor
time. Who counts its own stops, by the kernel's tally of switches or by a clock, may compute itself
for as long as they come and call a library once they end. So the processor time of a call in
sampled rounds is held against that in all others; waiting for a processor is in neither, nor is
what other threads may have spun meanwhile.

A sample itself costs processor time: honest kernels took up to 1.6 times as much on two cores, most
where a call is shorter than the time between two samples. Where every one of at least three sampled
rounds takes more than twice the median of the others, and more than nine tenths of these, it is
suspicious.
"""

from __future__ import annotations

import statistics

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import TimesSeen

RATIO = 2.0
_LEAST_SAMPLED = 3
_LEAST_OTHERS = 6
_TENTH = 10


def findings(times: TimesSeen) -> tuple[Evidence, ...]:
    """Suspicious, or nothing."""
    sampled, others = times.sampled_ran_us, times.ran_us
    if len(sampled) < _LEAST_SAMPLED or len(others) < _LEAST_OTHERS:
        return ()
    typical = statistics.median(others)
    slowest = statistics.quantiles(others, n=_TENTH)[-1]
    if min(sampled) <= max(RATIO * typical, slowest):
        return ()
    longer = statistics.median(sampled) / max(typical, 1e-3)
    text = (
        f"in {len(sampled)} timed rounds in which it was looked at, a call used {longer:.1f} times "
        f"the processor time of one in the other {len(others)}: it works otherwise while watched"
    )
    return (Evidence(kind=EvidenceKind.PHASE, severity=Severity.SUSPICIOUS, text=text),)
