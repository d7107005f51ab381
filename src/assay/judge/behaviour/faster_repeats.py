"""Repetition: what it means that a question is answered faster when it is asked again.

The rule: only a gap that computing cannot explain counts. Content, place, caches and that a call
came just before are equal for both calls of a pair, so honest kernels give ratios around one. A
memo that hashes its inputs saves the work and keeps the hash. Below 0.5 in the median, with at
least seven of eight pairs below 0.7, convicts. The chance that noise alone does that, were one pair
in ten below 0.7: 7e-7.
"""

from __future__ import annotations

import statistics

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import RepetitionSeen

LEAST_US = 200.0  # a faster call is mostly the road to it
MEDIAN_RATIO = 0.5
PAIR_RATIO = 0.7
_SPARED = 1  # pairs that may disagree


def findings(seen: RepetitionSeen) -> tuple[Evidence, ...]:
    """Evidence of a memo, or nothing."""
    if not seen.first_us or statistics.median(seen.first_us) < LEAST_US:
        return ()
    ratios = [b / a for a, b in zip(seen.first_us, seen.again_us, strict=True)]
    faster = sum(ratio < PAIR_RATIO for ratio in ratios)
    if statistics.median(ratios) >= MEDIAN_RATIO or faster < len(ratios) - _SPARED:
        return ()
    text = (
        f"a question that was just asked is answered in {100 * statistics.median(ratios):.0f} % of "
        f"the time ({faster} of {len(ratios)} pairs): answers are remembered"
    )
    return (Evidence(kind=EvidenceKind.MEMO, severity=Severity.CONVICTS, text=text),)
