"""Automation level: A, from the record of what people did for a candidate.

    A1  co-design: a person wrote or designed parts of the kernel
    A2  a person gave the strategy
    A3  a person made small corrections
    A4  no human edit

The rule: only `human_part` and `human_edits` of the provenance count. A number of edits alone does
not say what they were, and edits beside `none` contradict it: A3 at most, and so unknown.
"""

from __future__ import annotations

from assay.data.candidate import HumanPart, Provenance
from assay.scores.rubric.placed_level import PlacedLevel

_LEVELS = {
    HumanPart.CO_DESIGN: 1,
    HumanPart.STRATEGY: 2,
    HumanPart.CORRECTIONS: 3,
    HumanPart.NONE: 4,
}


def automation_level(made: Provenance) -> PlacedLevel:
    """A of a candidate."""
    part, edits = made.human_part, made.human_edits
    told = [] if part is None else [f"human_part {part.value}"]
    told += [] if edits is None else [f"human_edits {edits}"]
    words = "its provenance states " + " and ".join(told)
    if part is None and edits is None:
        return PlacedLevel(None, "its provenance does not state what people did")
    if part is None:
        if edits == 0:
            return PlacedLevel(4, words)
        return PlacedLevel(None, f"{words}, but not what they were: A3 at most (human_part)")
    if edits and part is HumanPart.NONE:
        return PlacedLevel(None, f"{words}, which contradict each other: A3 at most")
    return PlacedLevel(_LEVELS[part], words)
