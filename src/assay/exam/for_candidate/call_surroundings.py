"""CallSurroundings: in which state of process and module the calls of a batch are made.

The rule: some are made as a training loop makes them, some as a server does, drawn in secret. One
batch in five has inputs that require gradients, so that no run leaves that out by chance; inputs
that are changed in place cannot. Who raises there is asked once more, with inputs and buffers as
they were. The module's other mode is taken only where nothing in the reference's source could tell
it, and an instance that is gone afterwards only where calls leave nothing behind and nothing is
drawn: a new one may draw what another drew.
"""

from __future__ import annotations

from assay.data.contract import Stochastic
from assay.data.workload import Direction
from assay.exam.call_reading import BatchId
from assay.exam.exam import Exam
from assay.exam.script import BatchKind, ScriptedBatch
from assay.sandbox.protocol.surroundings import USUAL, Surroundings
from assay.tasks.references.training_modes import ignores_modes

_SHARE = 0.1  # of the batches, for each state that is not the usual one
_TRAINED = 5  # one batch of so many has inputs that require gradients, as in every training loop


def surroundings_of(
    exam: Exam, number: BatchId, batch: ScriptedBatch, threads: bool
) -> Surroundings:
    """Those of one batch; `threads` says whether another one than the main may make the calls."""
    if batch.kind is not BatchKind.PLAIN:
        return USUAL
    stochastic = isinstance(exam.reference.task.contract, Stochastic)
    repeatable = not (exam.stateful or exam.reference.updates or stochastic)
    rng = exam.secret.random("surroundings", number.stage, number.number)
    recording, thread, frozen, mode, alone, passing = (rng.random() < _SHARE for _ in range(6))
    first_trained = exam.secret.random("trained", number.stage).randrange(_TRAINED)
    forward = exam.plan.workloads[0].direction is Direction.FORWARD
    return Surroundings(
        recording=recording,
        trained=forward and repeatable and number.number % _TRAINED == first_trained,
        other_thread=thread and threads,
        frozen=frozen and forward,
        other_mode=mode and forward and ignores_modes(exam.reference.task.source),
        one_thread=alone and threads,
        passing=passing and batch.twin == 0 and repeatable,
    )
