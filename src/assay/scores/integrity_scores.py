"""Integrity: what Assay counts that the source systems do not: cheats, unknowns, coverage.

The rule: shares are of all candidates that were given, so that what is not judged shows.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.data.scoring.score import Score, Weighting
from assay.data.verdict import Status
from assay.scores import estimates
from assay.scores.grouped import Group
from assay.scores.score_family import BOTH, NONE_ACCEPTED, Figure, ScoreFamily

_OURS = (None, Status.NOT_RUN)


class IntegrityScores(ScoreFamily):
    """Shares of candidates by how they ended, and the coverage of the accepted ones."""

    name = "assay"

    def scores(self, group: Group) -> Iterator[Score]:
        """Of all candidates."""
        for weighting in BOTH:
            yield self.made(group, "accepted", accepted_share(group, weighting), weighting)
        yield self.made(group, "dishonest", share_of(group, (Status.DISHONEST,)))
        yield self.made(group, "suspicious", share_of(group, (Status.SUSPICIOUS,)))
        yield self.made(group, "right_not_accepted", right_not_accepted(group))
        yield self.made(group, "not_judged", share_of(group, _OURS))
        yield self.made(group, "coverage_of_accepted", coverage_of_accepted(group))


def accepted_share(group: Group, weighting: Weighting) -> Figure:
    """Accepted candidates over all; by coverage each counts the share that it answers."""
    found = [sum(one.credit(weighting) for one in entries) for _, entries in group.by_task]
    sizes = [len(entries) for _, entries in group.by_task]
    return Figure(estimates.ratio(found, sizes), f"{sum(sizes)} candidates", "no candidate")


def share_of(group: Group, statuses: tuple[Status | None, ...]) -> Figure:
    """Candidates with one of the statuses over all candidates."""
    found = [sum(one.status in statuses for one in entries) for _, entries in group.by_task]
    sizes = [len(entries) for _, entries in group.by_task]
    return Figure(estimates.ratio(found, sizes), f"{sum(sizes)} candidates", "no candidate")


def right_not_accepted(group: Group) -> Figure:
    """Candidates judged right that are not accepted, over all: others would count them."""
    found = [sum(o.right and not o.accepted for o in entries) for _, entries in group.by_task]
    sizes = [len(entries) for _, entries in group.by_task]
    return Figure(estimates.ratio(found, sizes), f"{sum(sizes)} candidates", "no candidate")


def coverage_of_accepted(group: Group) -> Figure:
    """The mean coverage of the accepted candidates; an unknown one counts 0."""
    accepted = [[o for o in entries if o.accepted] for _, entries in group.by_task]
    found = [sum(one.coverage or 0.0 for one in entries) for entries in accepted]
    sizes = [len(entries) for entries in accepted]
    words = f"{sum(sizes)} accepted candidates"
    return Figure(estimates.ratio(found, sizes), words, NONE_ACCEPTED)
