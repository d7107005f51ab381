"""Rubric profile: the sets of levels that a generator reaches with one accepted kernel each.

A cell is a set of levels K, R, H, P, A that some accepted kernel has. Its rate is

    accepted kernels of tasks of this K that have all of these levels or more
    / all candidates of tasks of this K, failures included

A cell is on the frontier where no other cell is at least as high on every axis. The summary is the
cell of the frontier with the largest sum of levels; among equals the higher K, then P, H, R, A.

The rule: levels of different kernels are never put together, and an unknown level counts as none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from assay.data.scoring.rubric import KernelRubric, Rubric, RubricCell, RubricProfile
from assay.data.verdict import Status

Levels = tuple[int | None, ...]
_PRECEDENCE = (0, 3, 2, 1, 4)  # K, P, H, R, A
_Z = 1.96  # of a 95 % interval


def rubric_profile(
    name: tuple[str, str], kernels: Sequence[KernelRubric], tasks: Mapping[str, int | None]
) -> RubricProfile:
    """The profile of a generator on a device; `tasks` gives the complexity of all that count."""
    accepted = [one for one in kernels if one.status == Status.ACCEPTED.value]
    sets: dict[Levels, KernelRubric] = {}
    for one in accepted:
        sets.setdefault(levels(one.rubric), one)
    cells = [_cell(reached, first, kernels, tasks) for reached, first in sets.items()]
    cells = [
        one.model_copy(update={"on_frontier": not _is_dominated(one.levels, sets)}) for one in cells
    ]
    cells.sort(key=lambda one: (one.on_frontier, *_order(one.levels)), reverse=True)
    return RubricProfile(
        generator=name[0],
        device=name[1],
        summary=_summary(cells, len(kernels)),
        candidates=len(kernels),
        accepted=len(accepted),
        cells=tuple(cells),
    )


def levels(rubric: Rubric) -> Levels:
    """K R H P A."""
    return (
        rubric.complexity,
        rubric.representation,
        rubric.hardware,
        rubric.performance,
        rubric.automation,
    )


def reaches(levels: Levels, wanted: Levels) -> bool:
    """At least as high on every axis; unknown is below all levels."""
    return all((a or 0) >= (b or 0) for a, b in zip(levels, wanted, strict=True))


def _is_dominated(one: Levels, others: Iterable[Levels]) -> bool:
    return any(other != one and reaches(other, one) for other in others)


def _order(levels: Levels) -> tuple[int, ...]:
    return sum(one or 0 for one in levels), *(levels[axis] or 0 for axis in _PRECEDENCE)


def _cell(
    reached: Levels,
    first: KernelRubric,
    kernels: Sequence[KernelRubric],
    tasks: Mapping[str, int | None],
) -> RubricCell:
    complexity = reached[0]
    same = [one for one in kernels if tasks.get(one.task, one.rubric.complexity) == complexity]
    there = [
        one
        for one in same
        if one.status == Status.ACCEPTED.value and reaches(levels(one.rubric), reached)
    ]
    counted = {task for task, level in tasks.items() if level == complexity}
    counted |= {one.task for one in same}
    low, high = _wilson(len(there), len(same))
    return RubricCell(
        line=first.rubric.line,
        kernel=first.candidate,
        kernel_id=first.candidate_id,
        task=first.task,
        levels=reached,
        kernels=len(there),
        candidates=len(same),
        rate=len(there) / len(same),
        rate_low=low,
        rate_high=high,
        solved=len({one.task for one in there}),
        tasks=len(counted),
        on_frontier=False,
    )


def _wilson(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % score interval of a share."""
    share, z2 = successes / trials, _Z * _Z
    middle = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    spread = share * (1 - share) / trials + z2 / (4 * trials * trials)
    half = _Z * math.sqrt(spread) / (1 + z2 / trials)
    return max(0.0, middle - half), min(1.0, middle + half)


def _summary(cells: Sequence[RubricCell], candidates: int) -> str:
    if not cells:
        return f"none of {candidates} candidates is accepted"
    best = cells[0]
    return f"{best.line} by {best.kernel} ({best.task})"
