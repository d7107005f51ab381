"""Greedy: one lineage, one change at a time, kept where it is faster beyond noise, else reverted.

This is AutoKernel's loop with move-on rules that hold: five reverts in a row, ninety percent of
the limit as measured, two hours of the task's own clock.

The rule: a change that is not kept is reverted: the next one starts from the last that was kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.data.generation.action import Action
from assay.generators.strategies.rules.ask_builder import AskBuilder
from assay.generators.strategies.rules.direction import directions_for
from assay.generators.strategies.rules.task_view import TaskView
from assay.generators.strategies.strategy_settings import setting
from assay.generators.strategies.task_strategy import TaskStrategy, only_asks, stop


@dataclass(frozen=True)
class Greedy(TaskStrategy):
    """Keep or revert."""

    name = "greedy"
    limit_share: float = setting(0.9, least=0, most=1)
    plateau: int = setting(5, least=0)  # reverts in a row
    drafts: int = setting(1, least=1)  # before the first change

    def step(self, view: TaskView) -> tuple[Action, ...]:
        """Repair the last failure, else draft, else change the current version."""
        if reason := self.stop_rule.reason(view):
            return stop(view, reason)
        if repair := self.repair_rule.asks(view, view.attempts[-1:]):
            return repair
        build = AskBuilder(view)
        current = view.current
        if current is None or len(view.attempts) < self.drafts:
            return build.drafts(1)
        change = build.improve(current, directions_for(view, current)[0])
        return only_asks([change]) or build.drafts(1)
