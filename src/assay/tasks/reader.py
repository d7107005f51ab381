"""Reader: how tasks in somebody's format become Tasks.

The rule: reading imports nothing of a task's own code; the source is parsed, never run. What is
wrong with a place is a UsageError. Other distributions add their own in the entry-point group
`assay.readers` (name = "module:Class"); the package of one is out of candidates' sight.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from assay.data.task import Task


class Reader(ABC):
    """Loads one task by its place and id, or lists all tasks of a place."""

    name: str  # in `Task.format`, and before the colon of READER:PATH#ID
    default_place: Path | None = None  # where no place is given; None: one has to be given
    flat_tolerance: bool = True  # those who use the format compare with one tolerance for all

    @abstractmethod
    def list(self, place: Path) -> tuple[Task, ...]:
        """Every task at `place`, sorted by id."""

    @abstractmethod
    def load(self, place: Path, task_id: str | None) -> Task:
        """The task `task_id` at `place`."""

    def candidates(self, place: Path, task_id: str | None) -> tuple[Path, ...]:
        """Files or folders at `place` that are candidates of that task."""
        return ()
