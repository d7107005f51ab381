"""fast_p over p: the share of tasks that a generator's answer solves more than p times as fast.

The rule: every task of the run counts, tried or not. Of several candidates for a task one stands
for it: the first sample, in its last round. One without a time is fast at no p above 0. The band is
Wilson's 95 % interval of a share k of n, with z = 1.96:

    (k + z^2/2 +- z sqrt(k (n - k) / n + z^2/4)) / (n + z^2)
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import NormalDist

from assay.data.verdict import Status
from assay.report.html.report_data import CurvePoint, ReportVerdict, ScoreCurve

_STEPS = 60
_LEAST_END = 2.0  # of p: a curve that ends at 1 does not show who is faster
_MOST_END = 5.0  # one outlier must not hide the others
_Z = NormalDist().inv_cdf(0.975)


def fast_p_curves(verdicts: Sequence[ReportVerdict]) -> tuple[ScoreCurve, ...]:
    """One curve a generator; without points where no answer of it was timed."""
    tasks = len({verdict.task for verdict in verdicts})
    groups: dict[str, list[ReportVerdict]] = defaultdict(list)
    for verdict in verdicts:
        groups[verdict.generator].append(verdict)
    answers = {name: _answers(group) for name, group in groups.items()}
    fastest = max((s for group in answers.values() for s in _speedups(group)), default=0.0)
    end = min(max(_LEAST_END, math.ceil(1.1 * fastest)), _MOST_END)
    return tuple(_curve(name, group, tasks, end) for name, group in answers.items())


def _answers(group: Iterable[ReportVerdict]) -> list[ReportVerdict]:
    """The candidate that stands for each task."""
    chosen: dict[str, ReportVerdict] = {}
    for verdict in sorted(group, key=_order):
        chosen.setdefault(verdict.task, verdict)
    return list(chosen.values())


def _order(verdict: ReportVerdict) -> tuple[int, int, int]:
    made = verdict.provenance
    return (made.sample or 0, -(made.round or 0), verdict.number)


def _curve(name: str, answers: Sequence[ReportVerdict], n: int, end: float) -> ScoreCurve:
    speedups = _speedups(answers)
    accepted = sum(verdict.status == Status.ACCEPTED.value for verdict in answers)
    timed = sum(bool(verdict.timing) for verdict in answers)
    if not timed:
        return ScoreCurve(generator=name, n=n, timed=0)
    points = [_point(0.0, accepted, n)]
    for step in range(1, _STEPS + 1):
        p = round(end * step / _STEPS, 4)
        points.append(_point(p, sum(speedup > p for speedup in speedups), n))
    return ScoreCurve(generator=name, n=n, timed=timed, points=tuple(points))


def _speedups(answers: Iterable[ReportVerdict]) -> list[float]:
    return [
        verdict.timing[0].speedup
        for verdict in answers
        if verdict.timing and verdict.status == Status.ACCEPTED.value
    ]


def _point(p: float, k: int, n: int) -> CurvePoint:
    half = _Z * math.sqrt(k * (n - k) / n + _Z**2 / 4)
    low, high = ((k + _Z**2 / 2 + side * half) / (n + _Z**2) for side in (-1, 1))
    return CurvePoint(
        p=p, value=round(k / n, 4), low=round(max(0.0, low), 4), high=round(min(1.0, high), 4)
    )
