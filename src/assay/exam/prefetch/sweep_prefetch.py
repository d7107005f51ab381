"""SweepPrefetch: a second process computes expectations while the judge still draws the exam.

The rule: it admits the same workloads in the same order, so that what it works out is what the
judge would. It never talks to a candidate.
"""

from __future__ import annotations

import contextlib
from collections import deque
from multiprocessing.connection import Connection

from assay.data.workload import Workload
from assay.errors import TaskError
from assay.exam.exam import ContentKey, Exam, Key
from assay.exam.prefetch.forked_helper import FORK, ForkedHelper
from assay.exam.prefetch.tensor_channel import MessageReader, TensorChannel
from assay.exam.script import own_calls
from assay.exam.weight_scales import FIRST_WEIGHTS


class SweepPrefetch:
    """While it is entered, whatever is admitted is worked out beside the drawing."""

    def __init__(self, exam: Exam, wanted: bool) -> None:
        """With an exam of the own workload alone; on a single core it is never wanted."""
        self._exam = exam
        self._wanted = wanted and ForkedHelper.possible()
        self._helper: ForkedHelper | None = None

    def __enter__(self) -> SweepPrefetch:
        if self._wanted:
            self._channel = TensorChannel()
            reading, outbox = FORK.Pipe(duplex=False)
            self._messages = MessageReader(reading, self._channel)
            told, self._outbox = FORK.Pipe(duplex=False)
            self._helper = ForkedHelper(lambda: self._work_out(told, outbox))
            outbox.close()
            told.close()
        return self

    def __exit__(self, *_: object) -> None:
        if self._helper is None:
            return
        self._receive()
        self._helper.stop()
        self._messages.close()
        self._outbox.close()

    def admit(self, workload: Workload) -> None:
        """One more is chosen."""
        self._exam.admit(workload)
        if self._helper is not None:
            with contextlib.suppress(OSError):  # it failed, and the judge goes on alone
                self._outbox.send(workload)

    def _receive(self) -> None:
        """All that has come."""
        with contextlib.suppress(EOFError, OSError):
            for key, expectation in self._messages.arrived():
                self._exam.learn(key, expectation)

    def _work_out(self, told: Connection, outbox: Connection) -> None:
        """In the second process, for ever."""
        exam = self._exam
        own = own_calls(exam)
        waiting = deque(exam.key(call.content_key, call.weights or FIRST_WEIGHTS) for call in own)
        while True:
            while told.poll() or not waiting:
                exam.admit(told.recv())
                waiting.append(exam.key(ContentKey(len(exam.plan.workloads) - 1)))
            self._answer(waiting.popleft(), outbox)

    def _answer(self, key: Key, outbox: Connection) -> None:
        """What it takes to answer one question was often another one."""
        before = self._exam.known()
        with contextlib.suppress(TaskError):
            self._exam.expectation(*key)
        for found in self._exam.known() - before:
            outbox.send((found, self._channel.post(self._exam.expectation(*found))))
