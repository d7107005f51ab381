"""PlacedLevel: one axis of the rubric for one kernel.

The rule: there is always a line of evidence; without a level it says what is missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.data.scoring.rubric import Feature

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class PlacedLevel:
    """A level from 1 to 4, or None where it is unknown."""

    level: int | None
    evidence: str
    remarks: tuple[str, ...] = ()

    def line(self, letter: str) -> str:
        """`K3: ...`, or `K unknown: ...`."""
        name = f"{letter} unknown" if self.level is None else f"{letter}{self.level}"
        return f"{name}: {self.evidence}"

    def short(self, letter: str) -> str:
        """`K3`, or `K?`."""
        return f"{letter}{'?' if self.level is None else self.level}"


def named(features: Iterable[Feature]) -> str:
    """Features with count and place; those past the third are counted."""
    given = list(features)
    words = [
        one.name
        + (f" x{one.count}" if one.count is not None else "")
        + (f" ({one.where})" if one.where else "")
        for one in given[:_SHOWN]
    ]
    more = f" and {len(given) - _SHOWN} more" if len(given) > _SHOWN else ""
    return ", ".join(words) + more
