"""KernelGenBench: accuracy, the speedup in two levels, and what a success costs.

Source: KernelGenBench, its metrics and cost tracking. The rule: the cost of every attempt counts,
also of those that failed; where some cost is not known the words say that the figure is a lower
bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assay.data.scoring.score import Score, Weighting
from assay.scores import estimates
from assay.scores.graded import Graded
from assay.scores.grouped import Group
from assay.scores.score_family import BOTH, NONE_ACCEPTED, NOT_TIMED, Figure, ScoreFamily, counted


class KernelGenBenchScores(ScoreFamily):
    """Accuracy, two-level geometric mean, tokens, dollars and seconds per success."""

    name = "kernelgenbench"

    def scores(self, group: Group) -> Iterator[Score]:
        """Of the best candidate of each task, and the costs of all."""
        for weighting in BOTH:
            yield self.made(group, "accuracy", accuracy(group, weighting), weighting)
        yield self.made(group, "speedup", two_level_speedup(group))
        for metric, cost in COSTS.items():
            for weighting in BOTH:
                found = cost_per_success(group, cost, weighting)
                yield self.made(group, f"{metric}_per_success", found, weighting)


def _dollars(one: Graded) -> float | None:
    return one.provenance.cost_usd


def _seconds(one: Graded) -> float | None:
    return one.provenance.seconds


def _judging(one: Graded) -> float | None:
    return one.judged_s if one.status is not None else None


COSTS: dict[str, Callable[[Graded], float | None]] = {
    "tokens": lambda one: one.tokens,
    "dollars": _dollars,
    "generator_seconds": _seconds,
    "judging_seconds": _judging,
}


def accuracy(group: Group, weighting: Weighting) -> Figure:
    """Share of tasks with at least one accepted candidate; by coverage, the largest share."""
    found = [
        max((one.credit(weighting) for one in entries), default=0.0) for _, entries in group.by_task
    ]
    return Figure(estimates.mean(found), f"{len(found)} tasks")


def case_speedup(one: Graded) -> float | None:
    """The geometric mean over the timed shapes of a candidate, the own one among them."""
    own = [one.speedup] if one.speedup else []
    return estimates.geometric([*own, *(shape.speedup for shape in one.shapes)])


def two_level_speedup(group: Group) -> Figure:
    """The geometric mean over shapes, then over the tasks that passed; the best candidate each.

    Failures are left out, so compare it only between generators that passed the same tasks.
    """
    found = [value for _, one in group.bests if one and (value := case_speedup(one))]
    words = counted(len(found), len(group.bests), "tasks")
    return Figure(estimates.geometric_mean(found), words, NOT_TIMED)


def cost_per_success(
    group: Group, cost: Callable[[Graded], float | None], weighting: Weighting
) -> Figure:
    """Sum of the costs of all candidates / number of tasks with an accepted one."""
    costs: list[float] = []
    successes: list[float] = []
    known = 0
    for _, entries in group.by_task:
        values = [value for one in entries if (value := cost(one)) is not None]
        known += len(values)
        costs.append(sum(values))
        successes.append(max((one.credit(weighting) for one in entries), default=0.0))
    total = len(group.entries)
    words = f"{sum(successes):g} successes; cost known of {known} of {total} candidates"
    if not known:
        return Figure(estimates.NOTHING, words, "no candidate says what it cost")
    words += ", so a lower bound" if known < total else ""
    return Figure(estimates.ratio(costs, successes), words, NONE_ACCEPTED)
