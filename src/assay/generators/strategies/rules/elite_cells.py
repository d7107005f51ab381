"""EliteCells: the best of each kind of candidate on one island (MAP-Elites).

A cell is a kind: how long the source is, and which bottleneck was measured. Attempts belong to the
island that their label names. At the end of every epoch the best of an island are copied to the
next one in a ring.

The rule: an elite gives way only to one that is faster beyond noise. Epochs, migrants and cells
are counted anew from the attempts at every call.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.data.generation.attempt import Attempt, shows_gain
from assay.generators.strategies.rules.task_view import TaskView

ISLAND = "island"
Cell = tuple[int, str]


@dataclass(frozen=True)
class EliteCells:
    """The islands of one task."""

    view: TaskView
    islands: int
    epoch: int  # attempts of the task between two migrations
    migrants: float  # share of an island's elites that are copied

    def asked_on(self, island: int) -> int:
        """How many attempts were made on it."""
        return sum(_island(one, self.islands) == island for one in self.view.attempts)

    def members(self, island: int) -> tuple[Attempt, ...]:
        """Accepted attempts of an island, migrants first."""
        own = self._own(island, self.view.attempts)
        return (*self.arrived(island), *own)

    def arrived(self, island: int) -> tuple[Attempt, ...]:
        """What came from the island before it, epoch by epoch."""
        found: dict[str, Attempt] = {}
        if self.islands < 2 or not self.epoch:
            return ()
        for end in range(self.epoch, len(self.view.attempts) + 1, self.epoch):
            source = (island - 1) % self.islands
            best = elites(self._own(source, self.view.attempts[:end]))
            count = max(1, round(self.migrants * len(best)))
            found.update((one.candidate, one) for one in best[:count])
        return tuple(found.values())

    def _own(self, island: int, attempts: tuple[Attempt, ...]) -> tuple[Attempt, ...]:
        return tuple(
            one for one in attempts if one.accepted and _island(one, self.islands) == island
        )


def cell(one: Attempt) -> Cell:
    """The kind of a candidate: the source's length in doublings, and its bottleneck."""
    return int(math.log2(max(1, len(one.source)))), one.bottleneck


def elites(members: tuple[Attempt, ...]) -> tuple[Attempt, ...]:
    """The elite of each cell, the fastest first."""
    cells: dict[Cell, Attempt] = {}
    for one in members:
        held = cells.get(cell(one))
        if held is None or shows_gain(one, held):
            cells[cell(one)] = one
    return tuple(sorted(cells.values(), key=lambda one: (-(one.speedup_low or 0), one.number)))


def _island(one: Attempt, islands: int) -> int:
    """The island of an attempt; one that no label names is on the first."""
    text = one.labels.get(ISLAND, "0")
    return int(text) % islands if text.isdigit() else 0
