"""LimitSteering: the limit of each task says where to spend the next ask and when to stop.

    expected gain of an ask = ln(headroom x limit_share) x rate
    rate = (gains + k r) / (asks + k),   r: gains over asks of the whole search

Headroom is the time reached over the least time; what lies beyond `limit_share` counts as out of
reach. A task with few asks is taken to be like the others, one with many is known by itself.

This is the budgeting of muCUTLASS: the next ask goes to the task with the most to gain, tasks near
their limit or on a plateau are stopped, and what beats its limit is quarantined.

A first kernel brings more than most edits of one: until a task has one, its first asks come before
those of tasks that do.

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
from assay.generators.strategies.rules.task_view import TaskView, kept_versions
from assay.generators.strategies.strategy_settings import setting
from assay.generators.strategies.task_strategy import TaskStrategy, answer, stop


@dataclass(frozen=True)
class LimitSteering(TaskStrategy):
    """Asks go where gain is expected."""

    name = "limit-steering"
    asks: int = setting(60, least=0)
    plateau: int = setting(20, least=0)
    inner: str = setting("greedy", words=tuple(INNER))
    together: int = setting(2, least=1)  # tasks that are asked for in one answer
    weight: float = setting(10.0, least=0.1)  # k: asks that the whole search counts for
    drafts: int = setting(1, least=0)  # asks of a task without a kernel that come first
    least_gain: float = setting(0.01, least=0)  # ln of speedup: below it a task is stopped
    unknown_headroom: float = setting(2.0, least=1)

    def propose(self, state: SearchState) -> tuple[Action, ...]:
        """Steps of the tasks with the most to gain; those with nothing to gain are stopped."""
        usual = usual_rate(state)
        views = [TaskView(state, one) for one in state.open_tasks]
        gains = {one.task.task: self.expected_gain(one, usual) for one in views}
        steps: dict[str, tuple[Action, ...]] = {}
        asked = 0
        for view in sorted(views, key=lambda one: (self._is_begun(one), -gains[one.task.task])):
            name = view.task.task
            if asked >= self.together and not self._end(view, gains[name]):
                continue  # it waits
            steps[name] = self._step(view, gains[name])
            asked += any(isinstance(one, Ask) for one in steps[name])
        return answer(state, steps)

    def step(self, view: TaskView) -> tuple[Action, ...]:
        """The next step of one task, as if it were asked alone."""
        return self._step(view, self.expected_gain(view, usual_rate(view.state)))

    def expected_gain(self, view: TaskView, usual: float) -> float:
        """What one more ask is expected to bring, as ln of speedup."""
        headroom = view.headroom or self.unknown_headroom
        left = math.log(max(1.0, headroom * (self.limit_share or 1.0)))
        rate = (len(view.kept) + self.weight * usual) / (len(view.attempts) + self.weight)
        return left * rate

    def _is_begun(self, view: TaskView) -> bool:
        """Whether it has a kernel, or had its chances of a first one."""
        return view.current is not None or len(view.attempts) >= self.drafts

    def _step(self, view: TaskView, gain: float) -> tuple[Action, ...]:
        """The inner strategy's step, with what was expected of it, or the task's end."""
        if reason := self._end(view, gain):
            return stop(view, reason)
        step = inner_strategy(self.inner, self).step(view)
        return tuple(
            marked(one, expected_gain=f"{gain:.4f}") if isinstance(one, Ask) else one
            for one in step
        )

    def _end(self, view: TaskView, gain: float) -> str:
        """Why nothing more is to be spent on a task; empty where it is worth an ask."""
        if reason := self.stop_rule.reason(view):
            return reason
        if view.current is not None and view.headroom is not None and gain < self.least_gain:
            return f"the next ask is expected to gain {100 * gain:.1f} %"
        return ""


def usual_rate(state: SearchState) -> float:
    """Gains over asks of the whole search, with one gain and two asks added."""
    gains = sum(len(kept_versions(one.attempts)) for one in state.tasks)
    return (gains + 1) / (sum(len(one.attempts) for one in state.tasks) + 2)
