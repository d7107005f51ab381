"""DeferredWarmup: the compile warm-up waits until the first answers of the own shape are right.

The own shape was compiled by the build, so its first calls cost next to nothing. A kernel that is
wrong there is wrong: the other shapes are then compiled only as far as they are still called.

The rule: which calls are made, and what is asked of them, stays the same; the first three special
calls of the own shape alone come before all others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.data.observations.observation import Observation
from assay.exam.exam import Exam
from assay.exam.pace import spared_end
from assay.exam.script import ScriptedBatch, own_calls

_FIRST = 3  # calls: plain, new content where the old lay, a few elements changed


@dataclass
class DeferredWarmup:
    """Asked before every batch; warms up at most once."""

    warm_up: Callable[[], frozenset[int]]  # answers the workloads that did not fit the time
    was_run: bool = False
    was_cancelled: bool = False
    _late: frozenset[int] = frozenset()

    def leaves_out(self, batch: ScriptedBatch, wrong: int, seen: list[Observation]) -> bool:
        """Whether a batch is not to be made, after so many wrong answers.

        What is seen of the warm-up goes to the other observations.
        """
        if batch.workloads != {0} and not self.was_run and not self.was_cancelled:
            self.was_cancelled = wrong > 0
            self.was_run = not self.was_cancelled
            self._late = self.warm_up() if self.was_run else frozenset()
            seen += filter(None, (spared_end("calls", workload) for workload in sorted(self._late)))
        return not self._late.isdisjoint(batch.workloads)


def own_first(exam: Exam, script: list[ScriptedBatch]) -> list[ScriptedBatch]:
    """The script with its first calls of the own shape moved to the front, in their order."""
    first: list[ScriptedBatch] = []
    rest = list(script)
    for call in own_calls(exam)[:_FIRST]:
        found = next((batch for batch in rest if batch.calls == (call,)), None)
        if found is None:
            break
        rest.remove(found)
        first.append(found)
    return [*first, *rest]
