"""fast_p: what the answers of a group of tasks count that are more than p times as fast.

The rule: `>` is strict. An accepted answer that was not timed counts at p = 0 and nowhere else.
Nothing here needs numpy, so that reports can use it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from assay.data.scoring.score import Weighting
from assay.scores.graded import Graded, GradedTask


def faster_than(one: Graded | None, p: float, weighting: Weighting) -> float:
    """What an answer counts in fast_p: its credit where speedup > p, else 0.

    Every speedup is above 0, so an accepted one without a time counts at p = 0 and nowhere else.
    """
    if one is None:
        return 0.0
    speedup = one.speedup if one.speedup is not None else (1e-300 if p == 0 else 0.0)
    return one.credit(weighting) if speedup > p else 0.0


def solved_faster(
    answers: Iterable[tuple[GradedTask, Graded | None]], p: float, weighting: Weighting
) -> float:
    """The sum over tasks of [correct and speedup > p], each by its credit."""
    return math.fsum(faster_than(one, p, weighting) for _, one in answers)
