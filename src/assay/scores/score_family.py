"""ScoreFamily: the contract of a source of scores, one class for each source system.

The rule: a family is pure. It is given a group and yields scores; what cannot be computed is a
score without a value and with a reason, never left away.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assay.data.scoring.score import Score, Weighting
from assay.scores.estimates import Estimate
from assay.scores.grouped import Group

BOTH = (Weighting.PUBLISHED, Weighting.COVERAGE)
NOT_TIMED = "no accepted candidate was timed"
NONE_ACCEPTED = "no candidate was accepted"


@dataclass(frozen=True)
class Figure:
    """What a formula gives, before it is named."""

    estimate: Estimate
    denominator: str
    reason: str = ""  # used where there is no value
    parts: Mapping[str, float | None] = field(default_factory=dict)


class ScoreFamily(ABC):
    """The scores of one source system. `name` is that of its entry point in `assay.scores`."""

    name: str
    version: int = 1

    @abstractmethod
    def scores(self, group: Group) -> Iterator[Score]:
        """Every score of the group."""

    def made(
        self, group: Group, metric: str, figure: Figure, weighting: Weighting = BOTH[0]
    ) -> Score:
        """A figure as a record."""
        found = figure.estimate
        missing = figure.reason or "there is nothing to divide by"
        return Score(
            name=f"{self.name}.{metric}",
            version=self.version,
            weighting=weighting,
            value=found.value,
            low=found.low,
            high=found.high,
            reason="" if found.value is not None else missing,
            n=len(group.entries),
            tasks=len(group.tasks),
            denominator=figure.denominator,
            parts=dict(figure.parts),
        )


def counted(number: int, of: int, noun: str) -> str:
    """A denominator in words: `12 of 20 tasks`."""
    return f"{number} of {of} {noun}"
