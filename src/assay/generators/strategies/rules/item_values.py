"""ItemValues: the value Q of showing a past attempt, one for each stage.

    Q(item, stage) <- Q + rate x (z - Q),   z = (return - mean) / deviation

over the attempts in whose prompt the item was, in order. It begins with what the item's own attempt
returned, at the stage of that attempt. Mean and deviation are those of all
returns of that stage so far, so that values of tasks with great and with small gains compare.

The rule: which items were shown is a label of the attempt; values are computed anew from labels
and returns at every call.
"""

from __future__ import annotations

import math
from collections import defaultdict
from enum import StrEnum

from assay.data.generation.search_event import Move
from assay.data.generation.search_state import SearchState
from assay.generators.strategies.rules.attempt_reward import returns

SHOWN = "memory"  # label: candidate ids, separated by blanks
LEAST_DEVIATION = 0.05


class Stage(StrEnum):
    """What a shown item is to help with."""

    DRAFT = "draft"
    REPAIR = "repair"
    OPTIMISE = "optimise"


def stage_of(move: Move) -> Stage:
    """The stage of a move."""
    if move is Move.DRAFT:
        return Stage.DRAFT
    return Stage.REPAIR if move is Move.REPAIR else Stage.OPTIMISE


class RunningNormal:
    """Mean and deviation of values so far (Welford)."""

    def __init__(self) -> None:
        self._count, self._mean, self._squares = 0, 0.0, 0.0

    def standardised(self, value: float) -> float:
        """How many deviations above the mean so far; nought while there are fewer than two."""
        if self._count < 2:
            return 0.0
        deviation = math.sqrt(self._squares / (self._count - 1))
        return (value - self._mean) / max(deviation, LEAST_DEVIATION)

    def add(self, value: float) -> None:
        """One more value."""
        self._count += 1
        step = value - self._mean
        self._mean += step / self._count
        self._squares += step * (value - self._mean)


def item_values(state: SearchState, rate: float, discount: float) -> dict[tuple[str, Stage], float]:
    """Q of every accepted attempt and of what was shown, by stage."""
    worth = {
        number: value for one in state.tasks for number, value in returns(one, discount).items()
    }
    values: dict[tuple[str, Stage], float] = {}
    seen: dict[Stage, RunningNormal] = defaultdict(RunningNormal)
    for one in sorted(state.attempts(), key=lambda each: each.number):
        stage = stage_of(one.move)
        score = seen[stage].standardised(worth[one.number])
        seen[stage].add(worth[one.number])
        if one.accepted:
            values.setdefault((one.candidate, stage), rate * score)
        for item in one.labels.get(SHOWN, "").split():
            old = values.get((item, stage), 0.0)
            values[item, stage] = old + rate * (score - old)
    return values


def weight(value: float) -> float:
    """What similarity is multiplied by: one for an unknown item, from nought to two."""
    return 2 / (1 + math.exp(-value))
