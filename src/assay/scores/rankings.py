"""Rankings: robust-kbench's speedup and GPU MODE's leaderboard of times.

Sources: robust-kbench (Sakana AI), whose speedup is a ratio of averages; GPU MODE's kernelbot,
which ranks by time alone, lower first. The rule: a generator without an accepted candidate ranks
last.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from assay.data.scoring.score import Score, Weighting
from assay.scores import estimates
from assay.scores.graded import Graded
from assay.scores.grouped import Group
from assay.scores.kernelbench_x_scores import matched_times
from assay.scores.score_family import BOTH, NOT_TIMED, Figure, ScoreFamily, counted


class RankBy(StrEnum):
    """How the times of several shapes become one: GPU MODE's `ranking_by`."""

    MEAN = "mean"
    GEOM = "geom"


class RobustKBenchScores(ScoreFamily):
    """The ratio of averages."""

    name = "robust_kbench"

    def scores(self, group: Group) -> Iterator[Score]:
        """Of the best candidate of each task."""
        yield self.made(group, "speedup", ratio_of_averages(group))


class GpuModeScores(ScoreFamily):
    """Places among the generators of the same machine."""

    name = "gpu_mode"

    def scores(self, group: Group) -> Iterator[Score]:
        """Of the best candidate of each task; two rules for several shapes."""
        for rule in RankBy:
            for weighting in BOTH:
                found = mean_rank(group, rule, weighting)
                yield self.made(group, f"mean_rank_{rule.value}", found, weighting)
                found = first_places(group, rule, weighting)
                yield self.made(group, f"first_places_{rule.value}", found, weighting)


def ratio_of_averages(group: Group) -> Figure:
    """mean(baseline time over shapes) / mean(candidate time over shapes), averaged over tasks.

    Large shapes dominate the ratio of a task.
    """
    found = [times[0] / times[1] for _, one in group.bests if one and (times := matched_times(one))]
    words = counted(len(found), len(group.bests), "tasks")
    return Figure(estimates.mean(found), words, NOT_TIMED)


def case_time_us(one: Graded, rule: RankBy) -> float | None:
    """The time that is ranked: the arithmetic or geometric mean over shapes."""
    times = [one.candidate_us, *(shape.candidate_us for shape in one.shapes)]
    known = [time for time in times if time is not None]
    if not known:
        return None
    return sum(known) / len(known) if rule is RankBy.MEAN else estimates.geometric(known)


def places(group: Group, rule: RankBy) -> list[tuple[int, int]]:
    """For each task the place of this generator and how many generators there are.

    1 is the fastest on this device; equal times share a place; the rest share the last one.
    """
    generators = {one.generator or one.run for one in group.others if one.device == group.device}
    times: dict[str, dict[str, float]] = {}
    for one in group.others:
        time = case_time_us(one, rule) if one.accepted and one.device == group.device else None
        if time is not None:
            seen = times.setdefault(one.task, {})
            name = one.generator or one.run
            seen[name] = min(time, seen.get(name, time))
    found = []
    for task in group.tasks:
        seen = times.get(task.name, {})
        mine = seen.get(group.generator)
        faster = sum(mine is None or time < mine for time in seen.values())
        place = len(generators) if mine is None else 1 + faster
        found.append((place, len(generators)))
    return found


def mean_rank(group: Group, rule: RankBy, weighting: Weighting = Weighting.PUBLISHED) -> Figure:
    """The mean place over tasks; an unsolved task counts as the last place.

    By coverage c a task counts c x its place + (1 - c) x the last place.
    """
    found = places(group, rule)
    rivals = found[0][1] if found else 0
    words = f"{len(found)} tasks, {rivals} generators on this device"
    if not group.timed:
        return Figure(estimates.NOTHING, words, NOT_TIMED)
    credits = _fastest_credits(group, rule, weighting)
    counted = [
        credit * place + (1 - credit) * last
        for (place, last), credit in zip(found, credits, strict=True)
    ]
    return Figure(estimates.mean(counted), words)


def first_places(group: Group, rule: RankBy, weighting: Weighting = Weighting.PUBLISHED) -> Figure:
    """The share of tasks on which this generator is the fastest; ties count for both."""
    found = places(group, rule)
    credits = _fastest_credits(group, rule, weighting)
    won = [credit * (place == 1) for (place, _), credit in zip(found, credits, strict=True)]
    words = f"{len(won)} tasks"
    if not group.timed:
        return Figure(estimates.NOTHING, words, NOT_TIMED)
    return Figure(estimates.mean(won), words)


def _fastest_credits(group: Group, rule: RankBy, weighting: Weighting) -> list[float]:
    """What the candidate that is ranked counts, for each task; 0 where there is none."""
    found = []
    for _, entries in group.by_task:
        timed = [
            (time, one.credit(weighting))
            for one in entries
            if one.accepted and (time := case_time_us(one, rule)) is not None
        ]
        found.append(min(timed, key=lambda pair: pair[0])[1] if timed else 0.0)
    return found
