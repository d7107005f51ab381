"""fast_p over p: the share of tasks that a generator's answer solves more than p times as fast.

The rule: what counts is what `assay score` counts: the same tasks, the same answer for each, the
same formula (`assay.scores.fast_p`). The band is Wilson's 95 % interval of a share k of n, with
z = 1.96:

    (k + z^2/2 +- z sqrt(k (n - k) / n + z^2/4)) / (n + z^2)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist

from assay.data.scoring.score import Weighting
from assay.report.html.report_data import CurvePoint, ScoreCurve
from assay.scores.fast_p import solved_faster
from assay.scores.grouped import Group

_STEPS = 60
_LEAST_END = 2.0  # of p: a curve that ends at 1 does not show who is faster
_MOST_END = 5.0  # one outlier must not hide the others
_Z = NormalDist().inv_cdf(0.975)


def fast_p_curves(groups: Sequence[Group]) -> tuple[ScoreCurve, ...]:
    """One curve a generator; without points where no answer of it was timed."""
    fastest = max((speedup for group in groups for speedup in _speedups(group)), default=0.0)
    end = min(max(_LEAST_END, math.ceil(1.1 * fastest)), _MOST_END)
    return tuple(_curve(group, end) for group in groups)


def _curve(group: Group, end: float) -> ScoreCurve:
    n = len(group.answers)
    timed = sum(one is not None and one.speedup is not None for _, one in group.answers)
    if not timed:
        return ScoreCurve(generator=group.generator, n=n, timed=0)
    places = [round(end * step / _STEPS, 4) for step in range(_STEPS + 1)]
    points = tuple(
        _point(p, solved_faster(group.answers, p, Weighting.PUBLISHED), n) for p in places
    )
    return ScoreCurve(generator=group.generator, n=n, timed=timed, points=points)


def _speedups(group: Group) -> Iterable[float]:
    return (one.speedup for _, one in group.answers if one and one.accepted and one.speedup)


def _point(p: float, k: float, n: int) -> CurvePoint:
    half = _Z * math.sqrt(k * (n - k) / n + _Z**2 / 4)
    low, high = ((k + _Z**2 / 2 + side * half) / (n + _Z**2) for side in (-1, 1))
    return CurvePoint(
        p=p, value=round(k / n, 4), low=round(max(0.0, low), 4), high=round(min(1.0, high), 4)
    )
