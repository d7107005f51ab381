"""KernelEval: one composite of four factors, which are always given beside it.

Source: the KernelEval paper. Its table does not follow its formula: 0.420, 0.240 and 0.520 are
printed where the formula gives 0.569, 0.172 and 0.729, and its data are simulated. The rule: the
formula counts, and no factor leaves its range.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from assay.data.scoring.score import Score, Weighting
from assay.scores import estimates
from assay.scores.graded import Graded, GradedTask
from assay.scores.grouped import Group
from assay.scores.score_family import BOTH, NOT_TIMED, Figure, ScoreFamily, counted

if TYPE_CHECKING:
    from assay.scores.estimates import Indices

OPERATORS = (
    "elementwise",
    "reduction",
    "gemm",
    "convolution",
    "normalisation",
    "attention",
    "fused",
)
BACKENDS = ("cuda", "rocm", "mps", "cpu")
LEAST_SPEEDUP = 0.8  # that a backend must reach to count
_ALIASES = {"matmul": "gemm", "normalization": "normalisation", "fusion": "fused"}
_SHAPES_UNKNOWN = "no accepted candidate was timed on several shapes: run with --time-shapes"


class KernelEvalScores(ScoreFamily):
    """The composite, its factors, and the spread by shape category."""

    name = "kerneleval"

    def scores(self, group: Group) -> Iterator[Score]:
        """Of the best candidate of each task."""
        for weighting in BOTH:
            yield self.made(group, "composite", composite_of(group, weighting), weighting)
            for direction, backward in (("forward", False), ("backward", True)):
                found = operator_coverage(group, backward, weighting)
                yield self.made(group, f"coverage_{direction}", found, weighting)
        yield self.made(group, "median_speedup", median_speedup(group))
        yield self.made(group, "cv_shape", shape_spread(group))
        for category in sorted({shape.category for one in _solved(group) for shape in one.shapes}):
            yield self.made(group, f"cv_shape.{category}", category_spread(group, category))
        for weighting in BOTH:
            found = portability(group, weighting)
            yield self.made(group, "portability", found, weighting)
            found = portability(group, weighting, tried_only=True)
            yield self.made(group, "portability_of_tried", found, weighting)


def composite(speedup: float, cv: float, coverage: float, portable: float) -> float:
    """S = median speedup x (1 - CV) x coverage x portability.

    As published S turns negative where CV > 1; here each factor is clamped: the speedup to at least
    0, the others to [0, 1].
    """
    return max(0.0, speedup) * _unit(1.0 - cv) * _unit(coverage) * _unit(portable)


def coefficient_of_variation(values: Sequence[float]) -> float | None:
    """Standard deviation over mean, of the population; None for fewer than two values."""
    if len(values) < 2:
        return None
    return statistics.pstdev(values) / statistics.fmean(values)


def median_speedup(group: Group) -> Figure:
    """The median over solved tasks."""
    found = [one.speedup for one in _solved(group) if one.speedup]
    words = counted(len(found), len(group.tasks), "tasks")
    return Figure(estimates.median(found), words, NOT_TIMED)


def shape_spread(group: Group) -> Figure:
    """The mean over solved tasks of the CV of the speedup across shapes."""
    found = [cv for one in _solved(group) if (cv := _spread(one)) is not None]
    words = counted(len(found), len(group.tasks), "tasks")
    return Figure(estimates.mean(found), words, _SHAPES_UNKNOWN)


def category_spread(group: Group, category: str) -> Figure:
    """The CV of the speedup at shapes of one category, over all solved tasks."""
    found = [
        shape.speedup
        for one in _solved(group)
        for shape in one.shapes
        if shape.category == category
    ]
    cv = coefficient_of_variation(found)
    return Figure(estimates.Estimate(cv), f"{len(found)} shapes", "fewer than two shapes")


def operator_coverage(group: Group, backward: bool, weighting: Weighting) -> Figure:
    """Share of the seven operator categories with a correct kernel that is not slower.

    By coverage, a category counts the largest share that such a kernel of it answers.
    """
    found = _covered(group.bests, backward, weighting)
    asked = {operator(t) for t in group.tasks if t.backward is backward} & set(OPERATORS)
    words = f"{len(OPERATORS)} categories, {len(asked)} of them asked"
    if not group.timed and any(one.accepted for one in group.entries):
        return Figure(estimates.NOTHING, words, NOT_TIMED)
    value = math.fsum(found.values()) / len(OPERATORS)
    parts = {name: found.get(name, 0.0) for name in OPERATORS}
    return Figure(estimates.Estimate(value), words, parts=parts)


def portability(
    group: Group, weighting: Weighting = Weighting.PUBLISHED, tried_only: bool = False
) -> Figure:
    """Share of the backends on which a kernel is correct and reaches 0.8x, over solved tasks.

    As published there are four: CUDA, ROCm, Metal and CPU. With `tried_only` those of the runs.
    By coverage, a backend counts the largest share that such a kernel answers on it.
    """
    reached = _reached(group, weighting)
    tried = {one.backend for one in group.others if _is_same(one, group)} & set(BACKENDS)
    total = len(tried) if tried_only else len(BACKENDS)
    if not total:
        return Figure(estimates.NOTHING, "0 backends", "none of the four backends was tried")
    found = [math.fsum(credits.values()) / total for credits in reached.values()]
    words = f"{total} backends, {len(found)} solved tasks"
    return Figure(estimates.mean(found), words, "no task is solved and timed on any backend")


def composite_of(group: Group, weighting: Weighting) -> Figure:
    """See `composite`; coverage is that of the seven categories, forward and backward.

    The weighting enters once, in that factor: portability is the published one.
    """
    solved = {one.task: one for one in _solved(group)}
    reached = _reached(group, Weighting.PUBLISHED)
    spreads = {name: _spread(one) for name, one in solved.items()}
    bests = group.bests

    def factors(chosen: Iterable[int]) -> list[float | None]:
        names = [bests[i][0].name for i in chosen]
        speedups = [s for n in names if n in solved and (s := solved[n].speedup)]
        cvs = [cv for n in names if (cv := spreads.get(n)) is not None]
        kinds = [bests[i] for i in chosen]
        covered = [*_covered(kinds, False, weighting).values()]
        covered += _covered(kinds, True, weighting).values()
        portable = [len(reached[n]) / len(BACKENDS) for n in names if n in reached]
        return [
            statistics.median(speedups) if speedups else None,
            statistics.fmean(cvs) if cvs else None,
            math.fsum(covered) / (2 * len(OPERATORS)),
            statistics.fmean(portable) if portable else None,
        ]

    def statistic(chosen: Indices) -> float | None:
        speedup, cv, coverage, portable = factors([int(i) for i in chosen])
        if speedup is None or cv is None or coverage is None or portable is None:
            return None
        return composite(speedup, cv, coverage, portable)

    parts = factors(range(len(bests)))
    found = estimates.bootstrap(len(bests), statistic, repeats=200)
    names = ("median_speedup", "cv_shape", "coverage", "portability")
    missing = NOT_TIMED if parts[0] is None else _SHAPES_UNKNOWN
    words = f"{len(solved)} of {len(bests)} tasks solved; 14 categories, {len(BACKENDS)} backends"
    return Figure(found, words, missing, dict(zip(names, parts, strict=True)))


def operator(task: GradedTask) -> str:
    """The category of a task in the source's words."""
    name = task.operator.lower()
    return _ALIASES.get(name, name)


def _solved(group: Group) -> list[Graded]:
    return [one for _, one in group.bests if one is not None]


def _spread(one: Graded) -> float | None:
    own = [one.speedup] if one.speedup else []
    return coefficient_of_variation([*own, *(shape.speedup for shape in one.shapes)])


def _covered(
    bests: Iterable[tuple[GradedTask, Graded | None]], backward: bool, weighting: Weighting
) -> dict[str, float]:
    """Credit by category; a kernel that was not timed does not show that it is no slower."""
    found: dict[str, float] = defaultdict(float)
    for task, one in bests:
        name = operator(task)
        if task.backward is not backward or one is None or name not in OPERATORS:
            continue
        if one.speedup is not None and not one.slower:
            found[name] = max(found[name], one.credit(weighting))
    return dict(found)


def _reached(group: Group, weighting: Weighting) -> dict[str, dict[str, float]]:
    """Credit by backend that counts, by solved task."""
    tasks = {task.name for task in group.tasks}
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for one in group.others:
        if _is_same(one, group) and one.accepted and one.speedup and one.task in tasks:
            reached = found[one.task]
            if one.speedup >= LEAST_SPEEDUP and one.backend in BACKENDS:
                known = reached.get(one.backend, 0.0)
                reached[one.backend] = max(known, one.credit(weighting))
    return found


def _is_same(one: Graded, group: Group) -> bool:
    return (one.generator or one.run) == group.generator


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))
