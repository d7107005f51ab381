"""Pareto: what generators cost against what they solve.

The rule: one unit for all of them: the first of dollars, tokens and generator seconds that every
generator states for some candidate.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.data.scoring.score import Weighting
from assay.data.scoring.score_analysis import ParetoPoint
from assay.scores.fast_p import faster_than
from assay.scores.grouped import Group
from assay.scores.kernelgenbench_scores import COSTS

_UNITS = ("dollars", "tokens", "generator_seconds")


def pareto(groups: Sequence[Group]) -> tuple[ParetoPoint, ...]:
    """One point for each generator and device that has a cost; the cheapest first."""
    stated = [[unit for unit in _UNITS if _cost(group, unit) is not None] for group in groups]
    shared = [unit for unit in _UNITS if all(unit in units for units in stated)]
    if not groups or not shared:
        return ()
    points = [_point(group, shared[0]) for group in groups]
    return tuple(
        sorted(
            (one.model_copy(update={"on_front": not _is_beaten(one, points)}) for one in points),
            key=lambda one: one.cost,
        )
    )


def _cost(group: Group, unit: str) -> float | None:
    """Per task tried; None where no candidate states it."""
    known = [value for one in group.entries if (value := COSTS[unit](one)) is not None]
    tried = sum(bool(entries) for _, entries in group.by_task)
    return sum(known) / tried if known else None


def _point(group: Group, unit: str) -> ParetoPoint:
    tasks = len(group.tasks)
    bests = [one for _, one in group.bests]
    quick = sum(faster_than(one, 1.0, Weighting.PUBLISHED) for one in bests)
    return ParetoPoint(
        generator=group.generator,
        device=group.device,
        cost=_cost(group, unit) or 0.0,
        unit=unit,
        solved=sum(one is not None for one in bests) / tasks,
        faster=quick / tasks if group.timed else None,
        tasks=tasks,
        on_front=False,
    )


def _is_beaten(one: ParetoPoint, points: Sequence[ParetoPoint]) -> bool:
    return any(
        other.device == one.device
        and other.cost <= one.cost
        and other.solved >= one.solved
        and (other.cost < one.cost or other.solved > one.solved)
        for other in points
    )
