"""CallSurroundings: in which state of process and module the calls of a batch are made.

The rule: some are made as a training loop makes them, some as a server does. One batch of so many
is in each state, beginning with a secret one, so that no run leaves a state out by chance; the
numbers have no common divisor, so that any two states meet. Inputs that are changed in place
cannot require gradients. Who raises there is asked once more, with inputs and buffers as
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

_TRAINED = 5  # one batch of so many has inputs that require gradients, as in every training loop
_RECORDING, _OTHER_THREAD, _FROZEN, _OTHER_MODE, _ONE_THREAD, _PASSING = 11, 9, 13, 17, 8, 7


def surroundings_of(
    exam: Exam, number: BatchId, batch: ScriptedBatch, threads: bool
) -> Surroundings:
    """Those of one batch; `threads` says whether another one than the main may make the calls."""
    if batch.kind is not BatchKind.PLAIN:
        return USUAL
    stochastic = isinstance(exam.reference.task.contract, Stochastic)
    repeatable = not (exam.stateful or exam.reference.updates or stochastic)
    forward = exam.plan.workloads[0].direction is Direction.FORWARD

    def turn(state: str, every: int) -> bool:
        first = exam.secret.random("surroundings", number.stage, state).randrange(every)
        return number.number % every == first

    return Surroundings(
        recording=turn("recording", _RECORDING),
        trained=forward and repeatable and turn("trained", _TRAINED),
        other_thread=threads and turn("other thread", _OTHER_THREAD),
        frozen=forward and turn("frozen", _FROZEN),
        other_mode=forward
        and turn("other mode", _OTHER_MODE)
        and ignores_modes(exam.reference.task.source),
        one_thread=threads and turn("one thread", _ONE_THREAD),
        passing=repeatable and batch.twin == 0 and turn("passing", _PASSING),
    )
