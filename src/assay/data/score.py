"""Score: one figure over many verdicts, with the formula that made it and what it was made from."""

from __future__ import annotations

from assay.data.record import SCHEMA_VERSION, Record


class Score(Record):
    """A value without its denominator is not a score: `n` counts every verdict considered."""

    schema_version: int = SCHEMA_VERSION
    name: str
    version: int
    value: float
    low: float | None
    high: float | None
    n: int
    candidates: tuple[str, ...]
