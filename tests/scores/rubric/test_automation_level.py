from __future__ import annotations

import pytest

from assay.data.candidate import HumanPart, Provenance
from assay.scores.rubric.automation_level import automation_level


@pytest.mark.parametrize(
    ("part", "edits", "level"),
    [
        ("co-design", None, 1),
        ("co-design", 7, 1),
        ("strategy", 0, 2),
        ("corrections", 2, 3),
        ("none", None, 4),
        ("none", 0, 4),
        (None, 0, 4),
        (None, 3, None),
        ("none", 3, None),
        (None, None, None),
    ],
)
def test_each_level(part: str | None, edits: int | None, level: int | None) -> None:
    human = HumanPart(part) if part else None
    placed = automation_level(Provenance(human_part=human, human_edits=edits))
    assert placed.level == level and placed.evidence
