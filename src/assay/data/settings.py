"""Settings: what the user asked for, resolved once; inside Assay nothing about it is optional."""

from __future__ import annotations

from enum import StrEnum

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


class Settings(Record):
    """The common flags of the command line."""

    device: str = "cpu"
    track: Track = Track.KERNEL
    level: Level = Level.STANDARD
    timing: bool = True
    baseline: str = "eager"
    timeout_s: float = 120.0
    build_timeout_s: float = 300.0
    jobs: int = 1
    explain: bool = False
    first_fault: bool = False  # stop at the first wrong answer: for loops that only ask whether
