"""Reader: how a task in somebody's format becomes a Task.

The rule: reading imports nothing of the task's own code; the source is parsed, never run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from assay.data.task import Task


class Reader(Protocol):
    """Finds one task by its place and id, or lists all tasks of a place."""

    def find(self, place: Path, task_id: str | None) -> Task:
        """The task `task_id` at `place`; UsageError where there is none."""
        ...

    def all(self, place: Path) -> list[Task]:
        """Every task at `place`, sorted by id."""
        ...
