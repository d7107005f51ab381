"""Beam: the best few kernels, each changed toward its worst few bottlenecks, in rounds.

This is KernelAgent's optimiser: two kernels times two bottlenecks. Each ask names one bottleneck
and one change.

The rule: a round starts from the best that were accepted, never from the last ones: what became
slower falls out by itself. Failures of a round are repaired before the next begins.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.data.generation.action import Action
from assay.data.generation.attempt import Attempt
from assay.generators.strategies.rules.ask_builder import AskBuilder, marked
from assay.generators.strategies.rules.direction import directions_for
from assay.generators.strategies.rules.task_view import TaskView, step_of
from assay.generators.strategies.strategy_settings import setting
from assay.generators.strategies.task_strategy import TaskStrategy, only_asks, stop

ROUND = "round"


@dataclass(frozen=True)
class Beam(TaskStrategy):
    """`width` kernels times `bottlenecks`, at most `rounds` times."""

    name = "beam"
    drafts: int = setting(4, least=1)
    width: int = setting(2, least=1)
    bottlenecks: int = setting(2, least=1)
    rounds: int = setting(5, least=1)
    plateau: int = setting(12, least=0)  # three rounds of four

    def step(self, view: TaskView) -> tuple[Action, ...]:
        """Repairs of the last round, else drafts, else a new round."""
        if reason := self.stop_rule.reason(view):
            return stop(view, reason)
        if repairs := self.repair_rule.asks(view, _of_last_answer(view)):
            return repairs
        build = AskBuilder(view)
        if not view.ranked:
            return build.drafts(self.drafts)
        done = max((int(one.labels.get(ROUND, "0")) for one in view.attempts), default=0)
        if done >= self.rounds:
            return stop(view, f"{done} rounds were made")
        asks = only_asks(
            build.improve(parent, direction)
            for parent in view.ranked[: self.width]
            for direction in directions_for(view, parent, self.bottlenecks)
        )
        return tuple(marked(one, **{ROUND: str(done + 1)}) for one in asks)


def _of_last_answer(view: TaskView) -> tuple[Attempt, ...]:
    last = max(map(step_of, view.attempts), default=-1)
    return tuple(one for one in view.attempts if step_of(one) == last)
