"""Claimed ratios: how many times as fast one candidate is as the one before it, as others say.

The rule: a claim is one figure without an interval. Two such figures differ by noise even
where nothing changed, so a ratio counts only beyond 1 + noise. The noise is 5 %, or the largest
difference that the same source shows between two reports of one identical kernel, where that is
more. This is an assumption, not a measurement: how often it errs is not known.
"""

from __future__ import annotations

from collections.abc import Iterable

from assay.data.scoring.pairs import Gain
from assay.scores.graded import Graded

LEAST_CLAIMED = 0.05  # the smallest claimed gain that counts, less one


def claimed_ratio(before: Graded, after: Graded) -> float | None:
    """The ratio of two claimed figures of candidates that are both said to work."""
    a, b = before.provenance.claimed, after.provenance.claimed
    if a is None or b is None or not a.works or not b.works or a.source != b.source:
        return None
    if (a.speedup is None) is not (b.speedup is None) or not a.figure or not b.figure:
        return None
    return b.figure / a.figure


def same_source_noise(steps: Iterable[tuple[Graded, Graded]]) -> list[float]:
    """By how much claims about one identical candidate differ: max(r, 1/r) - 1, each."""
    same = [(a, b) for a, b in steps if a.candidate_id == b.candidate_id]
    ratios = [ratio for a, b in same if (ratio := claimed_ratio(a, b)) is not None]
    return [max(ratio, 1 / ratio) - 1 for ratio in ratios]


def claimed_noise(steps: Iterable[tuple[Graded, Graded]]) -> float:
    """What two claims may differ by where nothing changed: see the head of this file."""
    return max([LEAST_CLAIMED, *same_source_noise(steps)])


def claimed_gain(before: Graded, after: Graded, noise: float) -> Gain | None:
    """The gain of two claims; None where they cannot be compared."""
    ratio = claimed_ratio(before, after)
    if ratio is None:
        return None
    return Gain(
        ratio=ratio,
        low=ratio / (1 + noise),
        high=ratio * (1 + noise),
        rate=None,
        method=f"claimed without an interval; {100 * noise:.3g} % of noise is assumed",
    )
