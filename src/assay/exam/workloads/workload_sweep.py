"""Sweep: the workloads a candidate is asked on, the task's own first.

The rule: every other workload was run on the reference and admitted by it, and is small. What is
tried follows from the level and the run's random numbers alone. Optional proposals get the time and
the places that the mandatory ones leave.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.data.settings import Level
from assay.data.workload import Workload
from assay.exam.workloads.shape_points import Points
from assay.exam.workloads.stretched_shapes import Proposal
from assay.exam.workloads.workload_proposals import ProposalCounts, Proposals
from assay.exam.workloads.workload_trials import TRIAL_ELEMENTS, TrialLimits, WorkloadTrials
from assay.tasks.references.reference import Reference


@dataclass(frozen=True)
class Sweep:
    """What one level asks for, and within which limits."""

    amount: ProposalCounts
    workloads: int
    limits: TrialLimits  # only a reference of 0.1 s a call and more comes near its seconds
    few: bool = False  # the three workloads that refuse the most, in place of all kinds in turn


SWEEPS = {
    Level.SMOKE: Sweep(
        ProposalCounts(
            values=4,
            layouts=0,
            unlike=0,
            shared=0,
            non_finite=1,
            special_rows=0,
            hypercube=0,
            usual=0,
            large=0,
            wide=0,
            ladder=0,
            tiny=0,
            roomy=False,
        ),
        workloads=4,
        limits=TrialLimits(configs=3, seconds=2.0),
        few=True,
    ),
    Level.QUICK: Sweep(
        ProposalCounts(
            values=6,
            layouts=2,
            unlike=0,
            shared=2,
            non_finite=1,
            special_rows=1,
            hypercube=0,
            usual=1,
            large=0,
            wide=3,
            ladder=0,
            tiny=0,
            roomy=False,
        ),
        workloads=23,
        limits=TrialLimits(configs=8, seconds=6.0),
    ),
    Level.STANDARD: Sweep(
        ProposalCounts(
            values=11,
            layouts=4,
            unlike=7,
            shared=5,
            non_finite=3,
            special_rows=3,
            hypercube=3,
            usual=1,
            large=1,
            wide=8,
            ladder=32,
            tiny=2,
        ),
        workloads=51,
        limits=TrialLimits(configs=11, seconds=12.0),
    ),
    Level.FULL: Sweep(
        ProposalCounts(
            values=14,
            layouts=5,
            unlike=7,
            shared=5,
            non_finite=9,
            special_rows=3,
            hypercube=8,
            usual=2,
            large=1,
            wide=16,
            ladder=32,
            tiny=32,
            planted_far=True,
        ),
        workloads=108,
        limits=TrialLimits(configs=13, seconds=40.0, result_elements=TRIAL_ELEMENTS),
    ),
}


def sweep(reference: Reference, level: Level, rng: random.Random) -> tuple[Workload, ...]:
    """The own workload, then as many admitted ones as the level allows."""
    return tuple(swept(reference, level, rng))


def swept(reference: Reference, level: Level, rng: random.Random) -> Iterator[Workload]:
    """The same, one by one as they are found."""
    asked = SWEEPS[level]
    points = Points(reference, rng)
    trials = WorkloadTrials(reference, asked.limits, rng, points.light())
    proposals = Proposals(reference, points, asked.amount, rng)
    own = reference.own_workload()
    if asked.few:
        return _kept(own, _Turn(proposals.few()), trials, asked.workloads)
    optional = _Turn(proposals.optional(), room=asked.amount.wide)
    return _kept(own, _Turn(proposals.mandatory()), trials, asked.workloads, optional)


@dataclass(frozen=True)
class _Turn:
    """Proposals, and how many are kept of them where those before have taken all the room.

    A task with many axes and integers has so many small workloads that no size was stretched.
    """

    proposals: Iterable[Proposal]
    room: int = 0


def _kept(
    own: Workload, first: _Turn, trials: WorkloadTrials, most: int, second: _Turn | None = None
) -> Iterator[Workload]:
    """The own workload and the best of each proposal, none twice."""
    kept = [own]
    plain_own = own.model_copy(update={"own": False})
    yield own
    for turn in (first, second) if second else (first,):
        limit = max(most, len(kept) + turn.room)
        for proposal in turn.proposals:
            if len(kept) >= limit or trials.over():
                break
            best = trials.best([w for w in proposal if w not in kept and w != plain_own])
            if best is not None:
                kept.append(best)
                yield best
