"""SOL-ExecBench: how much of the way from the baseline to the speed of light was gone.

Source: SOL-ExecBench (NVIDIA), its score function. The rule: never outside [0, 1]; a time below the
bound is flagged, because either the bound is wrong or the kernel is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.data.scoring.score import Score, Weighting
from assay.scores import estimates
from assay.scores.graded import Graded
from assay.scores.grouped import Group
from assay.scores.score_family import BOTH, Figure, ScoreFamily


@dataclass(frozen=True)
class SolScore:
    """One score and whether the time lies below its bound."""

    value: float
    violation: bool


class SolExecBenchScores(ScoreFamily):
    """The SOL score and its violations."""

    name = "sol_execbench"

    def scores(self, group: Group) -> Iterator[Score]:
        """Of the answers of each task."""
        for weighting in BOTH:
            yield self.made(group, "sol_score", mean_sol_score(group, weighting), weighting)
        yield self.made(group, "violations", violation_share(group))


def sol_score(time_us: float, baseline_us: float, sol_us: float) -> SolScore:
    """S = 1 / (1 + (T - T_sol) / (T_b - T_sol)), clamped to [0, 1].

    0.5 at the baseline, 1 at the bound, towards 0 beyond. Below the bound the formula leaves
    [0, 1], has a pole and turns negative: there S is 1 and the violation is flagged. Where the
    baseline itself is at or below the bound S is 1 at or below the bound and else 0.
    """
    violation = time_us < sol_us
    if time_us <= sol_us:
        return SolScore(1.0, violation)
    if baseline_us <= sol_us:
        return SolScore(0.0, violation)
    found = 1.0 / (1.0 + (time_us - sol_us) / (baseline_us - sol_us))
    return SolScore(min(1.0, max(0.0, found)), violation)


def scored(one: Graded) -> SolScore | None:
    """The score of a candidate; None where its times or its bound are not known."""
    if one.candidate_us is None or one.baseline_us is None or one.sol_us is None:
        return None
    return sol_score(one.candidate_us, one.baseline_us, one.sol_us)


def mean_sol_score(group: Group, weighting: Weighting) -> Figure:
    """The mean over tasks; a task without an accepted answer counts 0.

    A task whose accepted answer has no bound or no time has no score: it is left out and counted.
    """
    values: list[float] = []
    unknown = known = 0
    for _, one in group.answers:
        if one is None or not one.accepted:
            values.append(0.0)
        elif (found := scored(one)) is None:
            unknown += 1
        else:
            known += 1
            values.append(one.credit(weighting) * found.value)
    words = f"{len(values)} of {len(group.answers)} tasks, {unknown} without a bound or a time"
    if unknown and not known:
        return Figure(estimates.NOTHING, words, "no accepted candidate has a bound and a time")
    return Figure(estimates.mean(values), words)


def violation_share(group: Group) -> Figure:
    """Share of the scored answers whose time lies below the bound: each of them needs a look."""
    found = [s for _, one in group.answers if one and one.accepted and (s := scored(one))]
    flags = [float(one.violation) for one in found]
    words = f"{len(flags)} of {len(group.answers)} tasks"
    return Figure(estimates.mean(flags), words, "no accepted candidate has a bound and a time")
