"""ScriptPrefetch: a second process computes expectations from the end of the script while the
judge begins at its start.

The rule: it computes only what the judge would compute and keep anyway, and works backwards, so
that the two meet. It never talks to a candidate.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection

from assay.errors import TaskError
from assay.exam.candidate_instances import twin_of
from assay.exam.exam import Exam, Key
from assay.exam.prefetch.forked_helper import FORK, ForkedHelper
from assay.exam.prefetch.tensor_channel import MessageReader, TensorChannel
from assay.exam.script import ScriptedBatch
from assay.exam.weight_scales import FIRST_WEIGHTS, Weights

_WORTHWHILE = 8  # expectations; a process for fewer costs more than it brings
_PATIENCE_S = 60.0  # for one answer
_LOOK_S = 1.0  # who has done nothing for so long stands still, as what forks can
_NONE = -1


class ScriptPrefetch:
    """What the exam asks before it works out an expectation itself."""

    def __init__(self, exam: Exam, script: Sequence[ScriptedBatch]) -> None:
        self._exam = exam
        known = exam.known()
        self._order = [key for key in prefetch_order(exam, script) if key not in known]
        self._place = {key: place for place, key in enumerate(self._order)}
        self._helper: ForkedHelper | None = None

    def start(self) -> None:
        """Begin at the end. Nothing happens where there is little to foresee."""
        if len(self._order) < _WORTHWHILE or not ForkedHelper.possible():
            return
        self._channel = TensorChannel()
        reading, outbox = FORK.Pipe(duplex=False)
        self._messages = MessageReader(reading, self._channel)
        self._judge_at, self._worker_at = FORK.Value("i", _NONE), FORK.Value("i", _NONE)
        self._helper = ForkedHelper(lambda: self._work(outbox))
        outbox.close()
        self._exam.elsewhere = self._take

    def stop(self) -> None:
        """What it did not bring until now the judge works out itself."""
        if self._helper is None:
            return
        self._exam.elsewhere = None
        with contextlib.suppress(EOFError, OSError):
            self._receive()
        self._helper.stop()
        self._helper = None
        self._messages.close()

    def _take(self, key: Key) -> None:
        """Has the exam know what the worker knows; waits where it is at this very question."""
        place = self._place.get(key, _NONE)
        self._judge_at.value = max(self._judge_at.value, place)
        with contextlib.suppress(EOFError, OSError):  # it failed, and the judge goes on alone
            self._receive()
            while self._worker_at.value == place != _NONE and key not in self._exam.known():
                if not self._comes():
                    self._exam.elsewhere = None
                    break
                self._receive()

    def _comes(self) -> bool:
        """Waits for a message as long as somebody works on it."""
        assert self._helper is not None
        ends = time.monotonic() + _PATIENCE_S
        self._helper.has_worked()
        while not self._messages.has_message(_LOOK_S):
            if not self._helper.has_worked() or time.monotonic() > ends:
                return False
        return True

    def _receive(self) -> None:
        """All that has come."""
        for key, expectation in self._messages.arrived():
            self._exam.learn(key, expectation)

    def _work(self, outbox: Connection) -> None:
        """In the second process."""
        told = self._exam.known()
        for place in reversed(range(len(self._order))):
            if place <= self._judge_at.value:
                break
            self._worker_at.value = place
            with contextlib.suppress(TaskError):
                self._exam.expectation(*self._order[place])
            for key in self._exam.known() - told:
                outbox.send((key, self._channel.post(self._exam.expectation(*key))))
                told.add(key)


def prefetch_order(exam: Exam, script: Sequence[ScriptedBatch]) -> Iterator[Key]:
    """Every question of the script, once, with the version of the weights that is in force then."""
    held: dict[int, Weights] = {}
    seen: set[Key] = set()
    for batch in script:
        first = batch.calls[0]
        instance = exam.instance_of(first.content_key.workload)
        instance = twin_of(instance, batch.twin)
        before = held.get(instance, FIRST_WEIGHTS).ordinary
        held[instance] = before if first.weights is None else first.weights
        for call in batch.calls:
            key = exam.key(call.content_key, held[instance])
            if key not in seen:
                seen.add(key)
                yield key
