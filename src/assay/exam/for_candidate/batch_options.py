"""The options of a scripted batch: what surrounds its calls, and what is laid in memory for them.

The rule: they follow from the exam's secret and the number of the batch: a replay draws the same.
"""

from __future__ import annotations

from dataclasses import replace

from assay.data.contract import Stochastic
from assay.exam.answer_origin import PlantedCopy
from assay.exam.call_reading import BatchId
from assay.exam.exam import Exam
from assay.exam.script import BatchKind, ScriptedBatch
from assay.sandbox.host.planned_call import BatchOptions
from assay.sandbox.host.raw_call import RawCall

_RECORDED_SHARE, _THREAD_SHARE = 0.1, 0.1  # of the batches: gradients recorded, another thread


def batch_options(
    exam: Exam, number: BatchId, batch: ScriptedBatch, may_use_thread: bool
) -> BatchOptions:
    """How the session is to make the calls of a batch."""
    recycled = batch.kind is BatchKind.RECYCLED
    options = BatchOptions(
        copy_each=batch.copy_each,
        poison=not recycled,
        log_operations=batch.kind is BatchKind.LOGGED,
        planted_seed=exam.secret.seed("bait", number.stage, number.number) if recycled else None,
        apart=exam.keeps_apart,
        held=batch.held,
    )
    if not _may_be_surrounded(exam, batch):
        return options
    rng = exam.secret.random("surroundings", number.stage, number.number)
    return replace(
        options,
        recording=rng.random() < _RECORDED_SHARE,
        other_thread=rng.random() < _THREAD_SHARE and may_use_thread,
    )


def _may_be_surrounded(exam: Exam, batch: ScriptedBatch) -> bool:
    """Some calls are made as a training loop makes them, some as a server does.

    Who raises there is asked once more, so a call must not change what the next one finds.
    """
    repeatable = not (exam.stateful or exam.reference.updates)
    stochastic = isinstance(exam.reference.task.contract, Stochastic)
    return batch.kind is BatchKind.PLAIN and repeatable and not stochastic


def planted_copies(options: BatchOptions, first: RawCall, position: int) -> tuple[PlantedCopy, ...]:
    """What has been laid until a call of a batch: before each but the first."""
    if options.planted_seed is None:
        return ()
    return tuple(
        PlantedCopy(first, options.planted_seed + number) for number in range(1, position + 1)
    )
