"""RepairRule: which failures are corrected, and how often.

The rule: repair has caps of its own, beside those of improvement: so many tries in a row, so many
of a task. Repair makes kernels right, not fast: once a task has a right one, fewer tries are made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.data.generation.action import Ask
from assay.data.generation.attempt import Attempt
from assay.data.generation.search_event import Move
from assay.generators.strategies.rules.ask_builder import AskBuilder
from assay.generators.strategies.rules.task_view import TaskView, repairable


@dataclass(frozen=True)
class RepairRule:
    """The caps of repair."""

    in_a_row: int  # tries of one failure while nothing is accepted
    of_a_change: int  # tries in a row once something is
    of_a_task: int

    def allows(self, view: TaskView, one: Attempt) -> bool:
        """Whether this failure may be tried once more."""
        in_a_row = self.of_a_change if view.current is not None else self.in_a_row
        return (
            repairable(one)
            and not view.was_repaired(one)
            and view.repairs_in_a_row(one) < in_a_row
            and len(view.asked(Move.REPAIR)) < self.of_a_task
        )

    def asks(self, view: TaskView, among: Iterable[Attempt]) -> tuple[Ask, ...]:
        """Repairs of these failures, the newest first, within what is left of the task's cap."""
        left = self.of_a_task - len(view.asked(Move.REPAIR))
        newest = sorted(among, key=lambda one: -one.number)
        unique = {one.candidate: one for one in newest if self.allows(view, one)}
        built = (AskBuilder(view).repair(one) for one in unique.values())
        return tuple(one for one in built if one is not None)[: max(0, left)]
