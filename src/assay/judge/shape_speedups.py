"""Is it as fast on other shapes? A speedup for each category of shapes, and how much they vary.

The rule: every category is listed, with a speedup or with the reason why it has none. The
coefficient of variation is stated with the number of speedups that it is made of.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from assay.data.observations.measurement import ShapeTime
from assay.data.observations.observation import ShapeTimesSeen
from assay.data.workload import Category
from assay.judge.judge_input import JudgeInput
from assay.judge.speedup import first_timing

_NOT_DRAWN = "no shape of this category was drawn: the reference admits none, or a replay had none"


def shape_times(case: JudgeInput, untimed: str) -> tuple[ShapeTime, ...] | None:
    """One a category, None where they were not asked for; `untimed` says why nothing was timed."""
    if not case.settings.time_shapes:
        return None
    seen = {one.category: one for one in case.seen(ShapeTimesSeen)}
    if seen:
        return tuple(_shape_time(one, seen.get(one)) for one in Category)
    drawn = {w.category: w.axes for w in case.plan.workloads} if case.plan else {}
    return tuple(
        ShapeTime(
            category=one,
            axes=drawn.get(one, {}),
            reason=untimed if one in drawn and untimed else _NOT_DRAWN,
        )
        for one in Category
    )


def _shape_time(category: Category, seen: ShapeTimesSeen | None) -> ShapeTime:
    if seen is None:
        return ShapeTime(category=category, reason=_NOT_DRAWN)
    timing, reason = first_timing(seen.times)
    if timing is None:
        return ShapeTime(category=category, axes=seen.axes, reason=reason)
    return ShapeTime(
        category=category,
        axes=seen.axes,
        candidate_us=timing.candidate_us,
        baseline_us=timing.baseline_us,
        speedup=timing.speedup,
        speedup_low=timing.speedup_low,
        speedup_high=timing.speedup_high,
        method=timing.method,
    )


def variation(times: Sequence[ShapeTime]) -> tuple[float | None, int]:
    """Standard deviation / mean of the speedups, and their number; None for fewer than two.

    cv = sqrt(sum((s - mean)^2) / (n - 1)) / mean
    """
    speedups = [one.speedup for one in times if one.speedup is not None]
    if len(speedups) < 2:
        return None, len(speedups)
    return statistics.stdev(speedups) / statistics.mean(speedups), len(speedups)
