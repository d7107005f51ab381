"""KernelBench-X: two-stage correctness, matched speedups, and how much of the board is used.

Source: the KernelBench-X paper; its code holds neither IOU nor MFU. The rule: sizes are matched
before times are added, because a candidate that skips the large sizes must not gain by it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.data.scoring.score import Score, Weighting
from assay.scores import estimates
from assay.scores.graded import Graded
from assay.scores.grouped import Group
from assay.scores.score_family import BOTH, NOT_TIMED, Figure, ScoreFamily, counted

_NO_LIMITS = "no accepted candidate has a floor on this board: assay device names the known boards"


class KernelBenchXScores(ScoreFamily):
    """Call and execution accuracy, speedup, IOU and MFU."""

    name = "kernelbench_x"

    def scores(self, group: Group) -> Iterator[Score]:
        """Of the answers of each task."""
        yield self.made(group, "call_accuracy", call_accuracy(group))
        for weighting in BOTH:
            found = execution_accuracy(group, weighting)
            yield self.made(group, "execution_accuracy", found, weighting)
            found = correct_per_compile(group, weighting)
            yield self.made(group, "correct_per_compile", found, weighting)
        yield self.made(group, "speedup_mean", matched_speedup_mean(group))
        yield self.made(group, "speedup_total", matched_speedup_total(group))
        yield self.made(group, "speedup_geometric", matched_speedup_geometric(group))
        for metric, value in (("iou", _iou), ("mfu", _mfu), ("max_iou_mfu", utilisation)):
            found = mean_of([value(one) for one in _accepted(group)], len(group.answers))
            yield self.made(group, metric, found)
        for metric, same in (("normalised", False), ("normalised_per_machine", True)):
            yield self.made(group, metric, normalised_utilisation(group, same))


def call_accuracy(group: Group) -> Figure:
    """Share of tasks whose candidate builds, runs to an end and returns an answer."""
    found = [float(one is not None and one.called) for _, one in group.answers]
    return Figure(estimates.mean(found), f"{len(found)} tasks")


def execution_accuracy(group: Group, weighting: Weighting) -> Figure:
    """Share of tasks whose candidate is accepted."""
    found = group.credits(weighting)
    return Figure(estimates.mean(found), f"{len(found)} tasks")


def correct_per_compile(group: Group, weighting: Weighting) -> Figure:
    """Accepted candidates over those that pass the call stage."""
    called = [float(one is not None and one.called) for _, one in group.answers]
    credits = [credit * ran for credit, ran in zip(group.credits(weighting), called, strict=True)]
    words = f"{int(sum(called))} tasks whose candidate runs"
    return Figure(estimates.ratio(credits, called), words, "no candidate runs")


def matched_times(one: Graded) -> tuple[float, float] | None:
    """Baseline and candidate, added over the same sizes; None where nothing was timed."""
    pairs = [
        (shape.baseline_us, shape.candidate_us)
        for shape in one.shapes
        if shape.baseline_us is not None and shape.candidate_us is not None
    ]
    if one.baseline_us is not None and one.candidate_us is not None:
        pairs.append((one.baseline_us, one.candidate_us))
    if not pairs:
        return None
    return math.fsum(pair[0] for pair in pairs), math.fsum(pair[1] for pair in pairs)


def matched_speedup_mean(group: Group) -> Figure:
    """The arithmetic mean over tasks of sum(baseline) / sum(candidate), sizes matched."""
    times = _times(group)
    found = [above / below for above, below in times]
    return Figure(estimates.mean(found), _of(times, group), NOT_TIMED)


def matched_speedup_total(group: Group) -> Figure:
    """Sum over tasks of baseline times / sum of candidate times: long tasks dominate it."""
    times = _times(group)
    found = estimates.ratio([a for a, _ in times], [b for _, b in times])
    return Figure(found, _of(times, group), NOT_TIMED)


def matched_speedup_geometric(group: Group) -> Figure:
    """The geometric mean over tasks of sum(baseline) / sum(candidate), sizes matched."""
    times = _times(group)
    found = estimates.geometric_mean([above / below for above, below in times])
    return Figure(found, _of(times, group), NOT_TIMED)


def utilisation(one: Graded) -> float | None:
    """max(IOU, MFU): achieved bandwidth or arithmetic over the board's, whichever is more."""
    known = [value for value in (one.iou, one.mfu) if value is not None]
    return max(known, default=None)


def mean_of(values: list[float | None], tasks: int) -> Figure:
    """The mean over accepted tasks that have the value."""
    known = [value for value in values if value is not None]
    return Figure(estimates.mean(known), counted(len(known), tasks, "tasks"), _NO_LIMITS)


def normalised_utilisation(group: Group, same_machine: bool) -> Figure:
    """max(IOU, MFU) over the largest seen for the task, by any method on any machine.

    With `same_machine` the largest by any method on this machine, so that machines can be compared.
    It is relative to the runs given: one run alone gives 1 for all it solved.
    """
    peaks: dict[str, float] = {}
    for one in group.others:
        value = utilisation(one) if one.accepted else None
        if value is not None and (not same_machine or one.device == group.device):
            peaks[one.task] = max(value, peaks.get(one.task, 0.0))
    found: list[float | None] = []
    for one in _accepted(group):
        value, peak = utilisation(one), peaks.get(one.task)
        found.append(value / peak if value is not None and peak else None)
    return mean_of(found, len(group.answers))


def _accepted(group: Group) -> list[Graded]:
    return [one for _, one in group.answers if one is not None and one.accepted]


def _times(group: Group) -> list[tuple[float, float]]:
    return [times for one in _accepted(group) if (times := matched_times(one)) is not None]


def _of(times: list[tuple[float, float]], group: Group) -> str:
    return counted(len(times), len(group.answers), "tasks")


def _iou(one: Graded) -> float | None:
    return one.iou


def _mfu(one: Graded) -> float | None:
    return one.mfu
