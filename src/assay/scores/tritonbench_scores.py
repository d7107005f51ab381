"""TritonBench: call and execution accuracy, speedup and efficiency.

Source: Li et al., "TritonBench", 2025, and its evaluation scripts. The rule: what the source
drops from its means is dropped here too, and counted in the denominator's words.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.data.scoring.score import Score
from assay.scores import estimates
from assay.scores.graded import Graded
from assay.scores.grouped import Group
from assay.scores.kernelbench_x_scores import (
    call_accuracy,
    execution_accuracy,
    matched_times,
    utilisation,
)
from assay.scores.score_family import BOTH, NOT_TIMED, Figure, ScoreFamily

MOST_SPEEDUP, LEAST_SPEEDUP = 10.0, 0.1  # beyond these the source drops a task
MOST_EFFICIENCY = 100.0  # percent


class TritonBenchScores(ScoreFamily):
    """Call, execution, speedup, efficiency."""

    name = "tritonbench"

    def scores(self, group: Group) -> Iterator[Score]:
        """Of the answers of each task."""
        yield self.made(group, "call_accuracy", call_accuracy(group))
        for weighting in BOTH:
            found = execution_accuracy(group, weighting)
            yield self.made(group, "execution_accuracy", found, weighting)
        yield self.made(group, "speedup", speedup_of_survivors(group))
        yield self.made(group, "efficiency", efficiency_percent(group))


def speedup_of_survivors(group: Group) -> Figure:
    """The arithmetic mean of sum(baseline) / sum(candidate), over tasks with 0.1 < speedup < 10."""
    found = [times[0] / times[1] for one in _accepted(group) if (times := matched_times(one))]
    kept = [one for one in found if LEAST_SPEEDUP < one < MOST_SPEEDUP]
    return Figure(estimates.mean(kept), _words(kept, found, group), NOT_TIMED)


def efficiency_percent(group: Group) -> Figure:
    """The mean of 100 max(IOU, MFU), over tasks where it is below 100.

    The source divides by the peaks of one A100 for every task; here it is the board's own bandwidth
    and the peak of the arithmetic's dtype.
    """
    found = [100 * value for one in _accepted(group) if (value := utilisation(one)) is not None]
    kept = [one for one in found if one < MOST_EFFICIENCY]
    return Figure(estimates.mean(kept), _words(kept, found, group), "no floor is known")


def _accepted(group: Group) -> list[Graded]:
    return [one for _, one in group.answers if one is not None and one.accepted]


def _words(kept: list[float], found: list[float], group: Group) -> str:
    dropped = len(found) - len(kept)
    return f"{len(kept)} of {len(group.answers)} tasks, {dropped} dropped as beyond belief"
