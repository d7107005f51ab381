"""The options of a scripted batch: what surrounds its calls, and what is laid in memory for them.

The rule: they follow from the exam's secret and the number of the batch: a replay draws the same.
"""

from __future__ import annotations

from assay.exam.answer_origin import PlantedCopy
from assay.exam.call_reading import BatchId
from assay.exam.exam import Exam
from assay.exam.for_candidate.call_surroundings import surroundings_of
from assay.exam.script import BatchKind, ScriptedBatch
from assay.exam.workloads.movement_tasks import places_anew
from assay.sandbox.host.planned_call import BatchOptions
from assay.sandbox.host.raw_call import RawCall


def batch_options(
    exam: Exam, number: BatchId, batch: ScriptedBatch, may_use_thread: bool
) -> BatchOptions:
    """How the session is to make the calls of a batch."""
    recycled = batch.kind is BatchKind.RECYCLED
    return BatchOptions(
        copy_each=batch.copy_each,
        poison=not recycled,
        log_operations=batch.kind is BatchKind.LOGGED,
        planted_seed=exam.secret.seed("bait", number.stage, number.number) if recycled else None,
        apart=exam.keeps_apart,
        moved=_lie_plainly(exam, batch) and places_anew(exam),
        held=batch.held,
        surroundings=surroundings_of(exam, number, batch, may_use_thread),
    )


def _lie_plainly(exam: Exam, batch: ScriptedBatch) -> bool:
    """Whether its inputs lie as the task's own do: a copy of others may keep their order."""
    layouts = {exam.plan.workloads[number].layout for number in batch.workloads}
    return layouts == {exam.plan.workloads[0].layout}


def planted_copies(options: BatchOptions, first: RawCall, position: int) -> tuple[PlantedCopy, ...]:
    """What has been laid until a call of a batch: before each but the first."""
    if options.planted_seed is None:
        return ()
    return tuple(
        PlantedCopy(first, options.planted_seed + number) for number in range(1, position + 1)
    )
