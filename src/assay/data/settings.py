"""Settings: what the user asked for, resolved once; inside Assay nothing about it is optional."""

from __future__ import annotations

from enum import StrEnum

from assay.data.baselines import EAGER, Baselines
from assay.data.record import Record


class Track(StrEnum):
    """What a candidate may compute with."""

    KERNEL = "kernel"  # its own kernels only
    MIXED = "mixed"  # library calls allowed, their share reported
    OPEN = "open"  # anything correct


class Level(StrEnum):
    """How much is tried."""

    QUICK = "quick"
    STANDARD = "standard"
    FULL = "full"


class Cache(StrEnum):
    """Whether the inputs of a timed call are to lie in the cache already."""

    COLD = "cold"  # every call of a batch at a place of its own
    WARM = "warm"  # every call of a batch at the same place
    BOTH = "both"


class Settings(Record):
    """The common flags of the command line."""

    device: str = "cpu"
    track: Track = Track.KERNEL
    level: Level = Level.STANDARD
    timing: bool = True
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
