"""Score sheets: every score of every generator on every device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.data.scoring.score import ScoreSheet
from assay.scores.graded import OPEN
from assay.scores.grouped import Group
from assay.scores.score_registry import FAMILIES


def score_sheet(group: Group, families: Sequence[str] = ()) -> ScoreSheet:
    """The scores of the named families, or of all."""
    found = [FAMILIES.get(name) for name in families] or list(FAMILIES.working())
    statuses = Counter(one.status.value if one.status else OPEN for one in group.entries)
    return ScoreSheet(
        generator=group.generator,
        device=group.device,
        runs=tuple(dict.fromkeys(one.run for one in group.entries)),
        tasks=len(group.tasks),
        not_attempted=sum(not entries for _, entries in group.by_task),
        entries=len(group.entries),
        statuses=dict(sorted(statuses.items())),
        left_out=dict(group.left_out),
        candidates=tuple(dict.fromkeys(one.candidate_id for one in group.entries)),
        scores=tuple(score for family in found for score in family.scores(group)),
    )
