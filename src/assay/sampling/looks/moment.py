"""Moment: the looks at threads that were taken at one time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.sampling.sampled_process import Look


@dataclass(frozen=True)
class CountedLook:
    """A look that counts as a sample."""

    look: Look
    processors: float  # it stands for, at this moment
    beside: Callable[[], list[Look]]  # at other threads of its process at the same time


@dataclass(frozen=True)
class Moment:
    """Some of the threads that were met are looked at."""

    looks: tuple[CountedLook, ...] = ()
    met: tuple[int, ...] = ()  # threads, by their numbers; one may have been met several times
    rounds: float = 0.0  # times at which somebody was met
