"""Claim floors: the boards that a claim may mean, and the floor of its task on each.

The rule: a floor that cannot be traced costs no claim its answer; the rates are checked all the
same. Torch is imported only where there is a floor to trace.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.data.limits import Peaks, TaskLimits
from assay.data.published.recheck import Claim
from assay.data.task import Task
from assay.devices.peaks import boards_called
from assay.limits.claim_limits import BoardFloor


@dataclass
class ClaimFloors:
    """Floors, each traced once."""

    _known: dict[tuple[str, str, str, str], TaskLimits | None] = field(default_factory=dict)

    def of(self, claim: Claim, task: Task | None) -> tuple[BoardFloor, ...]:
        """Every board of the claimed name; none where the table of peaks holds no such board."""
        boards = boards_called(claim.device)
        return tuple(BoardFloor(one, self._floor(claim, task, one)) for one in boards)

    def _floor(self, claim: Claim, task: Task | None, peaks: Peaks) -> TaskLimits | None:
        if task is None:
            return None
        key = (task.id, task.content_id, peaks.name, repr(sorted(claim.sizes.items())))
        if key not in self._known:
            self._known[key] = _traced(task, peaks, claim.sizes)
        return self._known[key]


def _traced(task: Task, peaks: Peaks, sizes: Mapping[str, int]) -> TaskLimits | None:
    from assay.limits.task_floor import floor_of
    from assay.tasks.references.reference import Reference

    try:
        if not sizes:
            return floor_of(task, peaks)
        reference = Reference(task)
        if sizes.keys() - reference.own_axes.keys():
            return None  # axes that the task does not have
        axes = reference.own_axes | dict(sizes)
        return floor_of(task, peaks, True, axes, reference.sizes(axes))
    except Exception:  # a floor that we cannot find costs no claim its answer
        logging.getLogger(__name__).info("tracing the work of %s", task.id, exc_info=True)
        return None
