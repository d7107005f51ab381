"""Islands: populations that evolve side by side and send their best to each other now and then.

This is OpenEvolve's search: five islands, MAP-Elites on each, migration of a tenth of the elites.
The prompt shows the best of the island and some that differ.

The rule: the island of an attempt is its label; populations are made anew from the attempts. Only
accepted attempts are members.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from assay.data.generation.action import Action, Ask, Decide
from assay.data.generation.attempt import Attempt
from assay.generators.strategies.rules.ask_builder import AskBuilder, marked, showing
from assay.generators.strategies.rules.direction import directions_for
from assay.generators.strategies.rules.elite_cells import ISLAND, EliteCells, elites
from assay.generators.strategies.rules.task_view import TaskView, step_of
from assay.generators.strategies.strategy_settings import setting
from assay.generators.strategies.task_strategy import TaskStrategy, stop


@dataclass(frozen=True)
class Islands(TaskStrategy):
    """MAP-Elites on islands in a ring."""

    name = "islands"
    asks: int = setting(100, least=0)
    plateau: int = setting(30, least=0)
    islands: int = setting(5, least=1)
    epoch: int = setting(25, least=0)  # attempts of a task between two migrations
    migrants: float = setting(0.1, least=0, most=1)
    explore: float = setting(0.2, least=0, most=1)  # chance of a parent that is no elite
    combine: float = setting(0.1, least=0, most=1)  # chance of two parents
    best_shown: int = setting(3, least=0)
    others_shown: int = setting(2, least=0)

    def step(self, view: TaskView) -> tuple[Action, ...]:
        """One ask on every island, and a word about what migrated since the last answer."""
        if reason := self.stop_rule.reason(view):
            return stop(view, reason)
        cells = EliteCells(view, self.islands, self.epoch, self.migrants)
        chance = view.chance(self.name)
        last = {
            one.candidate: island for island in range(self.islands) for one in _last(view, island)
        }
        failures = [one for one in view.attempts if one.candidate in last]
        repairs = self.repair_rule.asks(view, failures)
        asks = {last[one.parents[0]]: one for one in repairs}
        for island in range(self.islands):
            ask = asks.get(island) or self._vary(cells, island, chance)
            if ask is not None:
                asks[island] = marked(ask, **{ISLAND: str(island)})
        return (*self._migrations(cells), *(asks[island] for island in sorted(asks)))

    def _vary(self, cells: EliteCells, island: int, chance: random.Random) -> Ask | None:
        """The next ask on one island that is no repair."""
        view, members = cells.view, cells.members(island)
        build, best = AskBuilder(view), elites(members)
        if not best:
            drafts = build.drafts(self.islands)
            ask = drafts[island % len(drafts)] if drafts else None
        elif len(best) > 1 and chance.random() < self.combine:
            ask = build.combine(tuple(chance.sample(best, 2)))
        else:
            wide = chance.random() < self.explore
            parent = chance.choice(members if wide else best)
            ask = build.improve(parent, directions_for(view, parent)[0])
        if ask is None:
            return None
        shown = self._shown(best, members, chance, ask.parents)
        return showing(ask, shown)

    def _shown(
        self,
        best: tuple[Attempt, ...],
        members: tuple[Attempt, ...],
        chance: random.Random,
        parents: tuple[str, ...],
    ) -> tuple[str, ...]:
        """The best of an island, then some others; the parents are in the prompt already."""
        first = [one.candidate for one in best if one.candidate not in parents][: self.best_shown]
        rest = {one.candidate: None for one in members if one.candidate not in (*first, *parents)}
        others = chance.sample(list(rest), min(self.others_shown, len(rest)))
        return (*first, *others)

    def _migrations(self, cells: EliteCells) -> tuple[Decide, ...]:
        """What arrived with the attempts of the last answer."""
        attempts = cells.view.attempts
        last = max(map(step_of, attempts), default=-1)
        before = sum(step_of(one) < last for one in attempts)
        if not self.epoch or len(attempts) // self.epoch == before // self.epoch:
            return ()
        return tuple(
            Decide(
                task=cells.view.task.task,
                decision="migrate",
                candidate=one.candidate,
                reason=f"among the best of its island: copied to island {island}",
            )
            for island in range(self.islands)
            for one in cells.arrived(island)[-1:]
        )


def _last(view: TaskView, island: int) -> tuple[Attempt, ...]:
    own = [one for one in view.attempts if one.labels.get(ISLAND) == str(island)]
    return tuple(own[-1:])
