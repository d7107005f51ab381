"""Repetition: what it means that a question is answered faster when most of it was asked before.

The rule: only a gap that computing cannot explain counts. Place, caches and that a call on nearly
the same elements came just before are equal for both calls of a pair, so honest kernels give ratios
around one. A memo that compares or hashes its inputs saves the work and keeps the comparison: of
the whole answer where the content is the same, of rows, tiles or what it made of another input
where a few elements of one input are new. Below 0.5 in the median, with at
least seven of eight pairs below 0.7, convicts. The chance that noise alone does that, were one pair
in ten below 0.7: 7e-7.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import RepetitionSeen

LEAST_US = 200.0  # a faster call is mostly the road to it
MEDIAN_RATIO = 0.5
PAIR_RATIO = 0.7
_SPARED = 1  # pairs that may disagree


def findings(seen: RepetitionSeen) -> tuple[Evidence, ...]:
    """Evidence of a memo, or nothing."""
    again = _faster(seen.first_us, seen.again_us)
    if again is not None:
        return (_memo(f"a question that was just asked is answered in {again}"),)
    inputs = sorted(set(seen.changed_inputs))
    for number in inputs:
        pairs = zip(seen.changed_inputs, seen.changed_us, strict=True)
        changed = tuple(us for one, us in pairs if one == number)
        part = _faster(seen.fresh_us, changed)
        if part is not None:
            what = f" of argument {number}" if len(inputs) > 1 else ""
            return (_memo(f"a question with a few new elements{what} is answered in {part}"),)
    return ()


def _faster(slow_us: Sequence[float], quick_us: Sequence[float]) -> str | None:
    """In words, by how much the second times are shorter; None where noise may explain it."""
    if not slow_us or len(slow_us) != len(quick_us) or statistics.median(slow_us) < LEAST_US:
        return None
    ratios = [b / a for a, b in zip(slow_us, quick_us, strict=True)]
    faster = sum(ratio < PAIR_RATIO for ratio in ratios)
    if statistics.median(ratios) >= MEDIAN_RATIO or faster < len(ratios) - _SPARED:
        return None
    share = f"{100 * statistics.median(ratios):.0f} % of the time"
    return f"{share} ({faster} of {len(ratios)} pairs)"


def _memo(text: str) -> Evidence:
    found = f"{text}: answers are remembered"
    return Evidence(kind=EvidenceKind.MEMO, severity=Severity.CONVICTS, text=found)
