"""TaskStrategy: strategies that look at one task at a time, and the answer made of their steps.

The rule: an answer without an ask stops every task that is open, so that a search always moves or
ends. What became of the attempts of the last answer is decided once, in the next. No answer asks
for more candidates than the budget has trials left.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, zip_longest

from assay.data.generation.action import Action, Ask, Decide, StopTask
from assay.data.generation.attempt import Attempt
from assay.data.generation.search_state import SearchState
from assay.generators.strategies.rules.ask_builder import marked
from assay.generators.strategies.rules.repair_rule import RepairRule
from assay.generators.strategies.rules.stop_rule import StopRule
from assay.generators.strategies.rules.task_view import STEP, TaskView, quarantined, step_of
from assay.generators.strategies.strategy_settings import AdjustableStrategy, setting


@dataclass(frozen=True)
class TaskStrategy(AdjustableStrategy):
    """Decides for one task; all open tasks take a step in one answer. Zero: that rule is off."""

    asks: int = setting(40, least=0)  # of one task
    seconds: float = setting(7200.0, least=0)  # of generators, for one task
    limit_share: float = setting(0.95, least=0, most=1)  # at which a task is done
    speedup: float = setting(0.0, least=0)  # at which a task is done
    plateau: int = setting(8, least=0)  # improving asks without a gain, then a task is done
    repairs: int = setting(3, least=0)  # tries in a row of one failure while nothing is accepted
    change_repairs: int = setting(1, least=0)  # tries in a row once something is
    most_repairs: int = setting(12, least=0)  # of one task

    @abstractmethod
    def step(self, view: TaskView) -> tuple[Action, ...]:
        """What to do next for an open task; nothing: the task is at its end."""

    def propose(self, state: SearchState) -> tuple[Action, ...]:
        """A step of every open task."""
        views = [TaskView(state, one) for one in state.open_tasks]
        return answer(state, {one.task.task: self.step(one) for one in views})

    @property
    def stop_rule(self) -> StopRule:
        """The settings that end a task."""
        return StopRule(self.asks, self.seconds, self.limit_share, self.speedup, self.plateau)

    @property
    def repair_rule(self) -> RepairRule:
        """The settings of repair."""
        return RepairRule(self.repairs, self.change_repairs, self.most_repairs)


def stop(view: TaskView, reason: str) -> tuple[Action, ...]:
    """A step that ends its task."""
    return (StopTask(task=view.task.task, reason=reason),)


def only_asks(actions: Iterable[Action | None]) -> tuple[Ask, ...]:
    """Those of them that are asks."""
    return tuple(one for one in actions if isinstance(one, Ask))


def answer(state: SearchState, steps: dict[str, tuple[Action, ...]]) -> tuple[Action, ...]:
    """One answer of the steps of tasks: decisions, then stops, then asks in turn by task."""
    if state.budget.exceeded(state.spent):
        return ()
    last = max(map(step_of, state.attempts()), default=-1)
    decided, stops, asked = [], [], []
    for task in state.open_tasks:
        view = TaskView(state, task)
        decided += [decision(view, one) for one in task.attempts if step_of(one) == last >= 0]
        if task.task not in steps:
            continue  # it waits while others are asked for
        step = steps[task.task] or stop(view, "nothing is left to ask for")
        decided += [one for one in step if isinstance(one, Decide)]
        stops += [one for one in step if isinstance(one, StopTask)]
        asked.append([marked(one, **{STEP: str(last + 1)}) for one in only_asks(step)])
    in_turn = [one for one in chain.from_iterable(zip_longest(*asked)) if one is not None]
    return (*decided, *stops, *in_turn[: _trials_left(state, len(in_turn))])


def decision(view: TaskView, one: Attempt) -> Decide:
    """What became of an attempt: kept, reverted or quarantined."""
    word, reason = "revert", f"{one.status or 'no candidate'}: {one.reason}".strip(": ")
    if one.below_limit:
        word, reason = "quarantine", "faster than the limit of its task"
    elif quarantined(one):
        word = "quarantine"
    elif any(one.number == kept.number for kept in view.kept):
        word, reason = "keep", f"faster beyond noise: {_interval(one)}"
    elif one.accepted:
        word, reason = "revert", f"no gain beyond noise: {_interval(one)}"
    return Decide(task=one.task, decision=word, candidate=one.candidate, reason=reason)


def _interval(one: Attempt) -> str:
    if one.speedup is None or one.speedup_low is None or one.speedup_high is None:
        return "not timed"
    return f"{one.speedup:.3f}x [{one.speedup_low:.3f}, {one.speedup_high:.3f}]"


def _trials_left(state: SearchState, wanted: int) -> int:
    """How many asks the budget has room for; one at least, since an ask may cost no trial."""
    left = state.budget.left(state.spent).trials
    return wanted if left is None else max(1, min(wanted, left))
