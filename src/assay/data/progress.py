"""Progress: where a call of the pipeline stands. It is shown and forgotten, never stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Report = Callable[[str, float | None], None]  # a stage in words, and the share of it that is done


@dataclass(frozen=True)
class Progress:
    """One step of one candidate. `index` counts from 0 in the order the candidates were given."""

    candidate: str
    index: int
    total: int
    stage: str  # what is being done, in words: "building", "checking", "timing"
    fraction: float | None = None  # of the stage, 0 to 1; None where it cannot be told


Show = Callable[[Progress], None]
