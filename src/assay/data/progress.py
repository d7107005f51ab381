"""Progress: where a call of the pipeline stands. It is shown and forgotten, never stored."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """One step of one candidate. `index` counts from 0 in the order the candidates were given."""

    candidate: str
    index: int
    total: int
    stage: str  # what is being done, in words: "building", "checking", "timing"
    fraction: float | None = None  # of the stage, 0 to 1; None where it cannot be told
