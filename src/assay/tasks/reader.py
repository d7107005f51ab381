"""Reader: how tasks in somebody's format become Tasks.

The rule: reading imports nothing of a task's own code; the source is parsed, never run. What is
wrong with a place is a UsageError. Other distributions add their own in the entry-point group
`assay.readers` (name = "module:Class"); the package of one is out of candidates' sight.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.languages.candidate_file import load_candidate
from assay.tasks.unread import Unread


@dataclass(frozen=True)
class Prediction:
    """One line of a file of answers: a candidate's source, and the task that it is for."""

    task: str  # empty where it is of no task that is known
    source: str


class Reader(ABC):
    """Loads one task by its place and id, or lists all tasks of a place."""

    name: str  # in `Task.format`, and before the colon of READER:PATH#ID
    default_place: Path | None = None  # where no place is given; None: one has to be given
    candidate_suffixes: tuple[str, ...] = ()  # of candidates that are no source file
    flat_tolerance: bool = True  # those who use the format compare with one tolerance for all

    @abstractmethod
    def list(self, place: Path) -> tuple[Task, ...]:
        """Every task at `place`, sorted by id."""

    @abstractmethod
    def load(self, place: Path, task_id: str | None) -> Task:
        """The task `task_id` at `place`."""

    def unread(self, place: Path) -> tuple[Unread, ...]:
        """What lies at `place`, looks like a task, and is not among those of `list`."""
        return ()

    def candidates(self, place: Path, task_id: str | None) -> tuple[Path, ...]:
        """Files or folders at `place` that are candidates of that task."""
        return ()

    def load_candidate(self, path: Path) -> Candidate:
        """The file or folder as a candidate, in the form in which its author wrote it."""
        return load_candidate(path)

    def adapt(self, candidate: Candidate, task: Task) -> Candidate:
        """The candidate with a `ModelNew` that is called as the task's `Model` is.

        A file that has one is left as it is. The author's own files keep their text.
        """
        return candidate

    def prediction(self, fields: Mapping[str, Any], tasks: Sequence[Task]) -> Prediction | None:
        """A JSON line in the format's own form; None where it is none."""
        return None
