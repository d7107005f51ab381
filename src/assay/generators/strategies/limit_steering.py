"""LimitSteering: the limit of each task says where to spend the next ask and when to stop.

    expected gain of an ask = ln(headroom) x (recent gains + 1) / (recent asks + 2)

Headroom is the time reached over the least time. This is the budgeting of muCUTLASS: the next ask
goes to the task with the most to gain, tasks near their limit or on a plateau are stopped, and what
beats its limit is quarantined.

The rule: a task whose limit is unknown is taken to have the headroom of a setting, and then only
its plateau stops it. An inner strategy says which move comes next.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.data.generation.action import Action, Ask
from assay.data.generation.search_state import SearchState
from assay.generators.strategies.inner_strategy import INNER, inner_strategy
from assay.generators.strategies.rules.ask_builder import marked
from assay.generators.strategies.rules.task_view import TaskView
from assay.generators.strategies.strategy_settings import setting
from assay.generators.strategies.task_strategy import TaskStrategy, answer, stop


@dataclass(frozen=True)
class LimitSteering(TaskStrategy):
    """Asks go where gain is expected."""

    name = "limit-steering"
    asks: int = setting(60, least=0)
    plateau: int = setting(10, least=0)
    inner: str = setting("greedy", words=tuple(INNER))
    together: int = setting(2, least=1)  # tasks that are asked for in one answer
    recent: int = setting(10, least=1)  # asks of a task by which its next gain is estimated
    least_gain: float = setting(0.01, least=0)  # ln of speedup: below it a task is stopped
    unknown_headroom: float = setting(2.0, least=1)

    def propose(self, state: SearchState) -> tuple[Action, ...]:
        """Steps of the tasks with the most to gain; those with nothing to gain are stopped."""
        steps: dict[str, tuple[Action, ...]] = {}
        views = [TaskView(state, one) for one in state.open_tasks]
        waiting = sorted(views, key=lambda one: -self.expected_gain(one))
        asked = 0
        for view in waiting:
            if asked >= self.together and not self.end(view):
                continue
            steps[view.task.task] = self.step(view)
            asked += any(isinstance(one, Ask) for one in steps[view.task.task])
        return answer(state, steps)

    def step(self, view: TaskView) -> tuple[Action, ...]:
        """The inner strategy's step, with what was expected of it, or the task's end."""
        if reason := self.end(view):
            return stop(view, reason)
        gain = f"{self.expected_gain(view):.4f}"
        step = inner_strategy(self.inner, self).step(view)
        return tuple(
            marked(one, expected_gain=gain) if isinstance(one, Ask) else one for one in step
        )

    def end(self, view: TaskView) -> str:
        """Why nothing more is to be spent on a task; empty where it is worth an ask."""
        if reason := self.stop_rule.reason(view):
            return reason
        gain = self.expected_gain(view)
        if view.current is not None and view.headroom is not None and gain < self.least_gain:
            return f"the next ask is expected to gain {100 * gain:.1f} %"
        return ""

    def expected_gain(self, view: TaskView) -> float:
        """What one more ask is expected to bring, as ln of speedup."""
        headroom = view.headroom or self.unknown_headroom
        last = view.attempts[-self.recent :]
        numbers = {one.number for one in last}
        gains = sum(one.number in numbers for one in view.kept)
        return math.log(max(1.0, headroom)) * (gains + 1) / (len(last) + 2)
