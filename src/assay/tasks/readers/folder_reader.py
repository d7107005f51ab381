"""FolderReader: formats whose tasks, and what gives none, are found in one walk of a folder.

The rule: a folder without a task is a mistake that says what it lacks; one that holds a single
problem needs no id.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path

from assay.data.task import Task
from assay.errors import UsageError
from assay.tasks.reader import Reader
from assay.tasks.unread import Unread

_SHOWN = 8  # ids in a message


class FolderReader(Reader):
    """`NAME:FOLDER`: a problem's folder, or any folder above some."""

    lacks: str  # what a folder without a task does not hold

    @abstractmethod
    def walk(self, place: Path) -> Iterator[Task | Unread]:
        """Everything in the folder that is a task, or looks like one."""

    def list(self, place: Path) -> tuple[Task, ...]:
        """Every task, in the order of the walk."""
        found = tuple(one for one in self.walk(place) if isinstance(one, Task))
        if not found:
            raise UsageError(f"{place} holds no task: {self.lacks}")
        return found

    def unread(self, place: Path) -> tuple[Unread, ...]:
        """What gives no task."""
        return tuple(one for one in self.walk(place) if isinstance(one, Unread))

    def load(self, place: Path, task_id: str | None) -> Task:
        """By id; without one, the first task of the only problem."""
        found = self.list(place)
        if task_id is None and len({task.origin for task in found}) == 1:
            return found[0]
        for task in found:
            if task.id == task_id:
                return task
        known = ", ".join(task.id for task in found[:_SHOWN])
        more = f", ... ({len(found)})" if len(found) > _SHOWN else ""
        raise UsageError(f"no task '{task_id}' in {place}; it has {known}{more}")
