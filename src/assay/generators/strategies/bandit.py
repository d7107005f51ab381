"""Bandit: which generator to ask, and by which strategy, learnt from what each ask brought (UCB1).

    score(arm) = mean reward + explore x sqrt(2 ln N / n)

An arm is a generator with an inner strategy. Rewards are those of `attempt_reward`, over all tasks
of the search; an arm that was never asked comes first.

The rule: the arm of an attempt is its label. What is quarantined pays nothing, so a generator that
cheats is asked ever less.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from assay.data.generation.action import Action, Ask, StopTask
from assay.data.generation.search_state import SearchState, TaskState
from assay.errors import UsageError
from assay.generators.strategies.inner_strategy import INNER, inner_strategy
from assay.generators.strategies.rules.ask_builder import marked
from assay.generators.strategies.rules.attempt_reward import rewards
from assay.generators.strategies.rules.task_view import TaskView
from assay.generators.strategies.strategy_settings import setting
from assay.generators.strategies.task_strategy import TaskStrategy, answer, stop

ARM = "arm"


@dataclass(frozen=True)
class Arm:
    """A generator with a strategy."""

    generator: str
    inner: str

    @property
    def label(self) -> str:
        """How attempts name it."""
        return f"{self.generator}/{self.inner}"


@dataclass(frozen=True)
class Bandit(TaskStrategy):
    """UCB over generators times inner strategies."""

    name = "bandit"
    asks: int = setting(60, least=0)
    plateau: int = setting(15, least=0)
    inner: str = setting("best-of-n+greedy+graph")  # names joined by +
    explore: float = setting(0.3, least=0)

    def configured(self, options: Mapping[str, str]) -> Self:
        """Itself with other settings; every inner strategy must be known."""
        made = super().configured(options)
        for name in made.inner.split("+"):
            if name not in INNER:
                known = ", ".join(INNER)
                raise UsageError(f"setting inner: no strategy '{name}'; joined by +: {known}")
        return made

    def step(self, view: TaskView) -> tuple[Action, ...]:
        """The next ask of one task, as if it were asked alone."""
        return self._pull(view, self._ordered(view.state, Counter()))

    def propose(self, state: SearchState) -> tuple[Action, ...]:
        """One ask of every open task; each counts as a pull for those that follow."""
        steps, pulled = {}, Counter[str]()
        for task in state.open_tasks:
            view = TaskView(state, task)
            steps[task.task] = self._pull(view, self._ordered(state, pulled))
            pulled.update(one.labels[ARM] for one in steps[task.task] if isinstance(one, Ask))
        return answer(state, steps)

    def _arms(self, state: SearchState) -> tuple[Arm, ...]:
        names = self.inner.split("+")
        return tuple(Arm(one, name) for one in state.generators or ("",) for name in names)

    def _ordered(self, state: SearchState, pulled: Counter[str]) -> list[Arm]:
        """Arms by their upper confidence bound, the best first."""
        paid = _paid(state.tasks)
        counts = Counter({arm: len(found) for arm, found in paid.items()}) + pulled
        total = max(1, counts.total())

        def bound(arm: Arm) -> float:
            count = counts[arm.label]
            if not count:
                return math.inf
            mean = sum(paid[arm.label]) / max(1, len(paid[arm.label]))
            return mean + self.explore * math.sqrt(2 * math.log(total) / count)

        return sorted(self._arms(state), key=lambda arm: -bound(arm))

    def _pull(self, view: TaskView, arms: list[Arm]) -> tuple[Action, ...]:
        """The first ask of the first arm that has one."""
        if reason := self.stop_rule.reason(view):
            return stop(view, reason)
        ends = []
        for arm in arms:
            alone = view.state.model_copy(
                update={"generators": (arm.generator,) * bool(arm.generator)}
            )
            step = inner_strategy(arm.inner, self).step(TaskView(alone, view.task))
            ends += [one.reason for one in step if isinstance(one, StopTask)]
            for one in step:
                if isinstance(one, Ask):
                    return (marked(one, **{ARM: arm.label}),)
        return stop(view, ends[0] if ends else "no generator has another candidate")


def _paid(tasks: tuple[TaskState, ...]) -> defaultdict[str, list[float]]:
    """The rewards of every arm that was pulled."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for task in tasks:
        worth = rewards(task)
        for one in task.attempts:
            if arm := one.labels.get(ARM):
                found[arm].append(worth[one.number])
    return found
