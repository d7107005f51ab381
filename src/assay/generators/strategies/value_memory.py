"""ValueMemory: past attempts of other tasks as examples, chosen by likeness times learnt value.

This is EvoKernel's memory: items are past attempts, each with a value Q for every stage; one in ten
choices is by chance. An inner strategy says which move comes next; the memory says what to show.

The rule: only accepted attempts are items. What was shown is a label of the ask; likeness and
values are computed from the state alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.data.generation.action import Action, Ask
from assay.data.generation.attempt import Attempt
from assay.data.generation.search_event import Move
from assay.data.generation.search_state import SearchState
from assay.generators.knowledge.retrieval import AttemptIndex
from assay.generators.strategies.inner_strategy import INNER, inner_strategy
from assay.generators.strategies.rules.ask_builder import marked, showing
from assay.generators.strategies.rules.item_values import SHOWN, item_values, stage_of, weight
from assay.generators.strategies.rules.task_view import IMPROVING, TaskView, kept_versions
from assay.generators.strategies.strategy_settings import setting
from assay.generators.strategies.task_strategy import TaskStrategy, answer


@dataclass(frozen=True)
class ValueMemory(TaskStrategy):
    """Value-weighted retrieval around an inner strategy."""

    name = "memory"
    inner: str = setting("greedy", words=tuple(INNER))
    together: int = setting(1, least=0)  # tasks at a time, in their order; zero: all
    items: int = setting(2, least=0)  # shown in a prompt; zero: none, for comparison
    of_a_task: int = setting(3, least=1)  # items that a task gives, its newest versions
    explore: float = setting(0.1, least=0, most=1)  # chance that an item is drawn at random
    rate: float = setting(0.3, least=0, most=1)  # of learning
    discount: float = setting(0.4, least=0, most=1)  # of what an attempt led to

    def propose(self, state: SearchState) -> tuple[Action, ...]:
        """A step of the first open tasks; the others wait for what these teach."""
        count = self.together or len(state.open_tasks)
        views = [TaskView(state, one) for one in state.open_tasks[:count]]
        return answer(state, {one.task.task: self.step(one) for one in views})

    def step(self, view: TaskView) -> tuple[Action, ...]:
        """The inner strategy's step, with items to show."""
        step = inner_strategy(self.inner, self).step(view)
        if not self.items or not any(isinstance(one, Ask) for one in step):
            return step
        values = item_values(view.state, self.rate, self.discount)
        chance = view.chance(self.name)
        found: list[Action] = []
        for one in step:
            if not isinstance(one, Ask):
                found.append(one)
                continue
            pool = self._pool(view, one.move)
            index = AttemptIndex(pool, view.state.tasks)
            parent = view.by_id.get(one.parents[0]) if one.parents else None
            likely = index.similar(view.task, parent, len(pool))
            stage = stage_of(one.move)
            ranked = sorted(
                likely,
                key=lambda each: (
                    -each.score * weight(values.get((each.attempt.candidate, stage), 0))
                ),
            )
            chosen = [each.attempt.candidate for each in ranked[: self.items]]
            if pool and chance.random() < self.explore:
                chosen = [*chosen[:-1], chance.choice(pool).candidate]
            found.append(_shows(one, tuple(dict.fromkeys(chosen))))
        return tuple(found)

    def _pool(self, view: TaskView, move: Move) -> list[Attempt]:
        """Items of other tasks: what was repaired, changes that gained, or versions to draft by."""
        others = [one for one in view.state.tasks if one.task != view.task.task]
        pool: list[Attempt] = []
        for task in others:
            if move is Move.REPAIR:
                fixed = [one for one in task.accepted if one.move is Move.REPAIR]
                pool += fixed[-self.of_a_task :]
            else:
                kept = kept_versions(task.attempts)
                fitting = [one for one in kept if move is Move.DRAFT or one.move in IMPROVING]
                pool += fitting[-self.of_a_task :]
        return pool


def _shows(ask: Ask, items: tuple[str, ...]) -> Ask:
    """The ask with items after what it shows already."""
    if not items:
        return ask
    shown = tuple(dict.fromkeys((*ask.shown, *items)))
    return showing(marked(ask, **{SHOWN: " ".join(items)}), shown)
