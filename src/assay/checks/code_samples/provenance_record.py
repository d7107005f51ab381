"""Provenance records: samples of a candidate's processes as a record of whose code computed.

The rule: nothing is decided here. Copies by a library count only where the task does nothing but
move data (`movement_tasks.py`), and then in proportion to who was seen moving.
"""

from __future__ import annotations

from assay.data.observations.observation import ProvenanceSeen
from assay.exam.workloads.movement_tasks import CopiesCount
from assay.sampling.mapped_objects import Owner
from assay.sampling.sampler import Sampler, Samples
from assay.sandbox.host.session import Session

_ALONE = 0.1  # own samples for each of the library's, where only these do the work
_LEAST_MOVING = 5  # samples that say who calls the C library to copy


def code_sampler(session: Session, rate_hz: float) -> Sampler:
    """Of all processes of a session."""
    process, tree = session.process, session.process.processes
    return Sampler(tree.pids, process.scratch_path, rate_hz, tree.turn, process.thawed)


def provenance_seen(samples: Samples, call_us: float, interpreted: bool) -> ProvenanceSeen:
    """The record of samples that were taken over calls of so many microseconds."""
    names = (*samples.objects[:2], *samples.operators[:3])
    return ProvenanceSeen(
        own=samples.of(Owner.OWN),
        library=samples.of(Owner.LIBRARY),
        in_torch=samples.in_torch,
        bystanders=samples.of(Owner.INTERPRETER) + samples.of(Owner.MOVEMENT),
        library_us=samples.thread_us(Owner.LIBRARY, call_us),
        interpreter=samples.of(Owner.INTERPRETER),
        interpreter_us=samples.thread_us(Owner.INTERPRETER, call_us),
        neutral=samples.of(Owner.NEUTRAL),
        others=samples.unowned,
        unseen=samples.unseen,
        names=tuple(name for name, _ in names),
        interpreted=interpreted,
        reason=samples.reason,
    )


def with_movement(
    seen: ProvenanceSeen, samples: Samples, call_us: float, counts: CopiesCount
) -> ProvenanceSeen:
    """With copies by the library as its computing: here the runner itself copies nothing.

    Most of a copy is the C library's memcpy. Its samples go to those who were seen moving beside
    it, in proportion.
    """
    moved, mine = samples.of(Owner.MOVEMENT), samples.of(Owner.OWN)
    if moved + mine < _LEAST_MOVING:
        return seen
    theirs = round(seen.neutral * moved / (moved + mine))
    if counts is CopiesCount.ALONE and mine + seen.neutral - theirs > _ALONE * (moved + theirs):
        return seen
    neutral_us = samples.thread_us(Owner.NEUTRAL, call_us) * theirs / max(1, seen.neutral)
    update = {
        "own": seen.own + seen.neutral - theirs,
        "library": seen.library + moved + theirs,
        "in_torch": seen.in_torch + moved + theirs,
        "bystanders": seen.bystanders - moved,
        "neutral": 0,
        "library_us": seen.library_us + samples.thread_us(Owner.MOVEMENT, call_us) + neutral_us,
        "names": (*seen.names, "torch's copies")[-5:] if moved else seen.names,
    }
    return seen.model_copy(update=update)
