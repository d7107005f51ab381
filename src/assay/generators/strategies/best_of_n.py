"""BestOfN: independent drafts, of which the best is taken.

The rule: no draft sees another. All generators of the search have an equal share.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.data.generation.action import Action, Ask
from assay.data.generation.search_event import Move
from assay.generators.strategies.rules.ask_builder import CONTEXT
from assay.generators.strategies.rules.generator_choice import drafters_in_turn
from assay.generators.strategies.rules.task_view import TaskView
from assay.generators.strategies.strategy_settings import setting
from assay.generators.strategies.task_strategy import TaskStrategy, stop


@dataclass(frozen=True)
class BestOfN(TaskStrategy):
    """`n` drafts of every task."""

    name = "best-of-n"
    n: int = setting(8, least=1)
    asks: int = setting(0, least=0)  # `n` is the cap
    limit_share: float = setting(0.0, least=0, most=1)  # off: the drafts are one sample

    def step(self, view: TaskView) -> tuple[Action, ...]:
        """The drafts that are missing, side by side."""
        if reason := self.stop_rule.reason(view):
            return stop(view, reason)
        missing = self.n - len(view.attempts)
        if missing <= 0:
            return stop(view, f"{self.n} drafts were asked for")
        return tuple(
            Ask(task=view.task.task, generator=one, context=CONTEXT[Move.DRAFT])
            for one in drafters_in_turn(view, missing)
        )
