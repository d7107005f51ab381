"""Stored placements: the rubric of every kernel of some runs, each against the best that they hold.

The rule: the best known of a task on a device is the fastest accepted kernel among all those given,
on the same cache; a kernel is never compared with itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from assay.data.baselines import EAGER
from assay.data.run import Entry
from assay.data.scoring.rubric import KernelFacts, KernelRubric
from assay.data.verdict import Status, Verdict
from assay.scores.graded import OPEN
from assay.scores.rubric.kernel_placement import placed, placed_unjudged
from assay.scores.rubric.performance_level import KnownTime

Place = tuple[str, str, str]  # task, device, cache


@dataclass(frozen=True)
class StoredKernel:
    """One entry of a run with what is known of it."""

    entry: Entry
    verdict: Verdict | None
    facts: KernelFacts
    generator: str = ""


def facts_kept(verdict: Verdict | None) -> KernelFacts | None:
    """What the verdict's own rubric rests on; None in records that are older than it."""
    return verdict.rubric.facts if verdict is not None and verdict.rubric is not None else None


def stored_placements(kernels: Iterable[StoredKernel]) -> list[KernelRubric]:
    """One rubric for each kernel, in the order given."""
    given = list(kernels)
    known = _known_times(given)
    return [_placed(one, known) for one in given]


def _known_times(kernels: list[StoredKernel]) -> dict[Place, list[KnownTime]]:
    """The fastest kernels of each place, the fastest first."""
    found: dict[Place, list[KnownTime]] = defaultdict(list)
    for one in kernels:
        if one.verdict is not None and one.verdict.status is Status.ACCEPTED and one.verdict.timing:
            found[_place(one, one.verdict)].append(_known(one.verdict))
    return {place: sorted(times, key=lambda t: t.time_us) for place, times in found.items()}


def _place(one: StoredKernel, verdict: Verdict) -> Place:
    cache = verdict.timing[0].cache if verdict.timing else ""
    return one.entry.task.content_id, verdict.environment.device.name, cache


def _known(verdict: Verdict) -> KnownTime:
    assert verdict.timing
    first = verdict.timing[0]
    eager = [t.speedup for t in verdict.timing if t.baseline == EAGER and t.cache == first.cache]
    return KnownTime(
        name=verdict.candidate,
        candidate_id=verdict.candidate_id,
        time_us=first.candidate_us,
        eager_speedup=eager[0] if eager else None,
    )


def _placed(one: StoredKernel, known: dict[Place, list[KnownTime]]) -> KernelRubric:
    candidate, verdict = one.entry.candidate, one.verdict
    if verdict is None:
        rubric, status, device = placed_unjudged(candidate.provenance, one.facts), OPEN, ""
    else:
        others = (t for t in known.get(_place(one, verdict), ()) if t.candidate_id != candidate.id)
        best = next(others, None)
        rubric = placed(one.entry.task, candidate.provenance, one.facts, verdict, best)
        status, device = verdict.status.value, verdict.environment.device.name
    return KernelRubric(
        candidate=candidate.name,
        candidate_id=candidate.id,
        task=one.entry.task.id,
        status=status,
        device=device,
        generator=one.generator,
        rubric=rubric,
    )
