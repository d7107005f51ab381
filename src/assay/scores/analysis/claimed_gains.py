"""Claimed gains: how many of the gains that others report are more than noise.

The rule: a claimed gain is a step between two candidates that are both said to work, the second
with the larger figure. It is within noise where the ratio of the two figures is at most 1 + noise
(`claimed_noise`): a claim states no interval, and two reports of one identical kernel differ, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.data.scoring.score_analysis import ClaimedGains
from assay.scores.analysis.claimed_ratios import claimed_noise, claimed_ratio, same_source_noise
from assay.scores.analysis.round_steps import steps
from assay.scores.graded import Graded


def claimed_gains(entries: Iterable[Graded]) -> tuple[ClaimedGains, ...]:
    """One for each source; an entry that has a verdict is no claim."""
    claimed = [one for one in entries if one.status is None and one.provenance.claimed]
    sources = dict.fromkeys(_source(one) for one in claimed)
    return tuple(_of(name, [o for o in claimed if _source(o) == name]) for name in sources)


def _of(source: str, claimed: Sequence[Graded]) -> ClaimedGains:
    found = steps(claimed)
    noise = claimed_noise(found)
    ratios = [(a, b, ratio) for a, b in found if (ratio := claimed_ratio(a, b)) is not None]
    gains = [(a, b, ratio) for a, b, ratio in ratios if ratio > 1]
    works = [(_works(a), _works(b)) for a, b in found]
    return ClaimedGains(
        source=source,
        candidates=len(claimed),
        steps=len(found),
        corrections=works.count((False, True)),
        gains=len(gains),
        within_noise=sum(ratio <= 1 + noise for _, _, ratio in gains),
        same_source=sum(a.candidate_id == b.candidate_id for a, b, _ in gains),
        same_source_spread=max(same_source_noise(found), default=None),
        noise=noise,
    )


def _source(one: Graded) -> str:
    return one.provenance.claimed.source if one.provenance.claimed else ""


def _works(one: Graded) -> bool | None:
    return one.provenance.claimed.works if one.provenance.claimed else None
