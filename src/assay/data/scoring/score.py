"""Score: one figure over many verdicts, with the formula that made it and what it was made from.

The rule: a value without its denominator is not a score, and no value is null with a reason.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from assay.data.record import SCHEMA_VERSION, Record


class Weighting(StrEnum):
    """What one accepted candidate counts."""

    PUBLISHED = "published"  # one, as the source system counts it
    COVERAGE = "coverage"  # the share of the workloads that it answered


class Score(Record):
    """One figure. `n` counts every verdict considered, failures and missing ones included."""

    schema_version: int = SCHEMA_VERSION
    name: str  # source system, dot, metric
    version: int
    weighting: Weighting = Weighting.PUBLISHED
    value: float | None
    reason: str = ""  # why there is no value
    low: float | None = None
    high: float | None = None
    n: int
    tasks: int = 0
    denominator: str = ""  # what the value was divided by, in words
    parts: dict[str, float | None] = Field(default_factory=dict)  # factors, or points of a curve
    candidates: tuple[str, ...] = ()  # empty where the sheet that holds the score lists them


class LeaderboardRow(Record):
    """One generator on one device, among the others; the first place solves most."""

    schema_version: int = SCHEMA_VERSION
    place: int
    generator: str
    device: str
    tasks: int
    not_attempted: int
    left_out: int  # tasks
    entries: int
    scores: tuple[Score, ...]


class ScoreSheet(Record):
    """Every score of one generator on one device."""

    schema_version: int = SCHEMA_VERSION
    generator: str
    device: str
    runs: tuple[str, ...]
    tasks: int  # that count
    not_attempted: int  # tasks of those without any candidate: they count as failed
    entries: int  # candidates of tasks that count
    statuses: dict[str, int]  # of those entries; `open` was not judged yet
    left_out: dict[str, int] = Field(default_factory=dict)  # tasks by why they do not count
    candidates: tuple[str, ...]  # ids
    scores: tuple[Score, ...]
