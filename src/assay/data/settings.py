"""Settings: what the user asked for, resolved once; inside Assay nothing about it is optional."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from assay.data.baselines import EAGER, Baselines
from assay.data.record import Record


class Track(StrEnum):
    """What a candidate may compute with."""

    KERNEL = "kernel"  # its own kernels only
    MIXED = "mixed"  # library calls allowed, their share reported
    OPEN = "open"  # anything correct


class Level(StrEnum):
    """How much is tried. Declared from the least to the most."""

    SMOKE = "smoke"  # refuses the obvious; for loops that run after every edit
    QUICK = "quick"
    STANDARD = "standard"
    FULL = "full"

    @property
    def is_short(self) -> bool:
        """Whether preparing calls side by side would cost more than it saves."""
        return self in (Level.SMOKE, Level.QUICK)

    @property
    def times_by_default(self) -> bool:
        """Whether speed is measured where nobody said otherwise."""
        return self is not Level.SMOKE


class Cache(StrEnum):
    """Whether the inputs of a timed call are to lie in the cache already."""

    COLD = "cold"  # every call of a batch at a place of its own
    WARM = "warm"  # every call of a batch at the same place
    BOTH = "both"


def _times_by_default(known: dict[str, Any]) -> bool:
    level = Level(known.get("level", Level.STANDARD))
    return level.times_by_default or bool(known.get("time_shapes"))


class Settings(Record):
    """The common flags of the command line."""

    device: str = "cpu"
    track: Track = Track.KERNEL
    level: Level = Level.STANDARD
    time_shapes: bool = False  # time a drawn shape of every category beside the own one
    # Where it is not given the level decides.
    timing: bool = Field(default_factory=lambda known: _times_by_default(known))
    baselines: Baselines = (EAGER,)
    cache: Cache = Cache.COLD
    tf32: bool = False  # whether float32 products may be rounded to TF32, on all sides
    timeout_s: float = 120.0
    build_timeout_s: float = 300.0
    jobs: int = 1
    explain: bool = False
    min_coverage: float = 0.0  # a smaller share of answered workloads is a reason to refuse
    allow_packages: tuple[str, ...] = ()  # shown to candidates beside what their language needs
    first_fault: bool = False  # stop at the first wrong answer: for loops that only ask whether
    confirms: bool = False  # judged once more, on a secret of its own, before it is called a winner
    without_checks: tuple[str, ...] = ()  # left out to see what they are worth; verdicts say so

    @property
    def untimed(self) -> str:
        """Why speed is not measured; empty where it is."""
        if self.timing:
            return ""
        if self.level.times_by_default:
            return "timing was switched off"
        return f"level {self.level.value} does not time unless it is asked to (--timing)"
