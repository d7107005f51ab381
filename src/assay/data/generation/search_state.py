"""SearchState: everything that a strategy may decide by. The same state and seed, the same acts."""

from __future__ import annotations

from collections.abc import Iterator

from assay.data.generation.attempt import Attempt
from assay.data.generation.budget import Budget, Spend
from assay.data.record import Record


class TaskState(Record):
    """One task of the search, and what was tried of it, in order."""

    task: str
    title: str = ""
    tags: tuple[str, ...] = ()
    sol_us: float | None = None
    baseline_us: float | None = None
    attempts: tuple[Attempt, ...] = ()
    stopped: str = ""  # why nothing more is asked of it

    @property
    def accepted(self) -> tuple[Attempt, ...]:
        """Those that count, in order."""
        return tuple(one for one in self.attempts if one.accepted)

    @property
    def best(self) -> Attempt | None:
        """The fastest that counts: by the lower end of its interval, untimed ones last."""
        return max(self.accepted, key=lambda one: one.speedup_low or 0.0, default=None)


class SearchState(Record):
    """All tasks of a search, its budget and what is spent of it."""

    tasks: tuple[TaskState, ...]
    budget: Budget = Budget()
    spent: Spend = Spend()
    seed: int = 0
    generators: tuple[str, ...] = ()  # names that an ask may choose among; the first is usual
    device: str = "cpu"

    @property
    def open_tasks(self) -> tuple[TaskState, ...]:
        """Those that were not stopped."""
        return tuple(one for one in self.tasks if not one.stopped)

    def attempts(self) -> Iterator[Attempt]:
        """Of all tasks, task by task."""
        for one in self.tasks:
            yield from one.attempts
