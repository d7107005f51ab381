"""KernelBench: fast_p, pass@k and the geometric mean of the speedup.

Source: Ouyang et al., "KernelBench: Can LLMs Write Efficient GPU Kernels?", 2025, and its
analysis script. The rule: `>` is strict, n is every task that counts, and a candidate that was not
timed is faster than nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from assay.data.scoring.score import Score, Weighting
from assay.scores import estimates
from assay.scores.fast_p import faster_than, solved_faster
from assay.scores.grouped import Group
from assay.scores.score_family import BOTH, NOT_TIMED, Figure, ScoreFamily, counted

THRESHOLDS = (0.0, 0.5, 0.8, 1.0, 1.5, 2.0)
GRID = tuple(round(0.05 * step, 2) for step in range(101))  # 0 to 5
KS = (1, 2, 5, 10, 100)


class KernelBenchScores(ScoreFamily):
    """fast_p as a curve, pass@k, geometric means."""

    name = "kernelbench"

    def scores(self, group: Group) -> Iterator[Score]:
        """Those of the first sample, and pass@k of all samples."""
        for weighting in BOTH:
            for p in THRESHOLDS:
                yield self.made(group, f"fast_{p:g}", fast_p(group, p, weighting), weighting)
            yield self.made(group, "fast_p", fast_p_curve(group, weighting), weighting)
            for k in _known_ks(group):
                yield self.made(group, f"pass@{k}", pass_at_k(group, k, weighting), weighting)
        yield self.made(group, "speedup", geometric_speedup(group))
        yield self.made(group, "speedup_of_faster", geometric_speedup(group, above=1.0))


def fast_p(group: Group, p: float, weighting: Weighting) -> Figure:
    """fast_p = (1/n) sum over tasks of [correct and speedup > p]."""
    words = f"{len(group.answers)} tasks"
    if p > 0 and not group.timed and any(one and one.accepted for _, one in group.answers):
        return Figure(estimates.NOTHING, words, NOT_TIMED)
    found = [faster_than(one, p, weighting) for _, one in group.answers]
    return Figure(estimates.mean(found), words)


def fast_p_curve(group: Group, weighting: Weighting) -> Figure:
    """fast_p over a dense grid of p; the value is the area under it from 0 to 5, over 5."""
    tasks = len(group.answers)
    accepted = any(one and one.accepted for _, one in group.answers)
    if not tasks or (accepted and not group.timed):
        return Figure(estimates.NOTHING, f"{tasks} tasks", NOT_TIMED)
    points = {f"{p:g}": solved_faster(group.answers, p, weighting) / tasks for p in GRID}
    most = GRID[-1]
    areas = [
        (one.credit(weighting) * min(one.speedup or 0.0, most) / most) if one else 0.0
        for _, one in group.answers
    ]
    return Figure(estimates.mean(areas), f"{tasks} tasks", parts=points)


def expected_best(credits: Sequence[float], k: int) -> float:
    """The expected largest credit among k of n candidates, drawn without replacement.

    With credits c_1 <= ... <= c_n it is sum_i c_i C(i-1, k-1) / C(n, k). For credits of 0 and 1,
    c of them 1, that is the unbiased estimator of pass@k, 1 - C(n-c, k) / C(n, k), of Chen et al.,
    "Evaluating Large Language Models Trained on Code", 2021. Fewer than k candidates are all drawn.
    """
    n = len(credits)
    if n == 0:
        return 0.0
    k = min(k, n)
    ways = math.comb(n, k)
    ordered = sorted(credits)
    return math.fsum(
        credit * (math.comb(place, k - 1) / ways) for place, credit in enumerate(ordered)
    )


def pass_at_k(group: Group, k: int, weighting: Weighting) -> Figure:
    """The mean over tasks of the unbiased estimator; see `expected_best`."""
    found = [
        expected_best([one.credit(weighting) for one in entries], k) for _, entries in group.by_task
    ]
    enough = sum(len(entries) >= k for _, entries in group.by_task)
    words = f"{len(found)} tasks, {enough} of them with {k} or more candidates"
    return Figure(estimates.mean(found), words)


def geometric_speedup(group: Group, above: float = 0.0) -> Figure:
    """exp(mean of log speedup) over tasks that are correct and faster than `above`.

    It says nothing of tasks that failed: read it beside fast_0.
    """
    speedups = [
        one.speedup
        for _, one in group.answers
        if one and one.accepted and one.speedup is not None and one.speedup > above
    ]
    words = counted(len(speedups), len(group.answers), "tasks")
    return Figure(estimates.geometric_mean(speedups), words, NOT_TIMED)


def _known_ks(group: Group) -> list[int]:
    most = max((len(entries) for _, entries in group.by_task), default=0)
    return [k for k in KS if k <= max(1, most)]
