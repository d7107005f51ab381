"""Headstart: a second process works out truths while the judge still draws the exam.

The rule: it admits the same workloads in the same order, so that what it works out is what the
judge would. It never talks to a candidate.
"""

from __future__ import annotations

import contextlib
from collections import deque
from multiprocessing.connection import Connection

from assay.data.workload import Workload
from assay.errors import TaskError
from assay.worker.host.exam import Exam, Key, Question
from assay.worker.host.follower import FORK, Follower
from assay.worker.host.inbox import Inbox
from assay.worker.host.script import own_calls
from assay.worker.host.tensor_mail import TensorMail
from assay.worker.host.tones import FIRST_WEIGHTS


class Headstart:
    """While it is entered, whatever is admitted is worked out beside the drawing."""

    def __init__(self, exam: Exam, wanted: bool) -> None:
        """With an exam of the own workload alone; on a single core it is never wanted."""
        self._exam = exam
        self._wanted = wanted and Follower.possible()
        self._follower: Follower | None = None

    def __enter__(self) -> Headstart:
        if self._wanted:
            self._mail = TensorMail()
            reading, outbox = FORK.Pipe(duplex=False)
            self._inbox = Inbox(reading, self._mail)
            told, self._outbox = FORK.Pipe(duplex=False)
            self._follower = Follower(lambda: self._work_out(told, outbox))
            outbox.close()
            told.close()
        return self

    def __exit__(self, *_: object) -> None:
        if self._follower is None:
            return
        self._receive()
        self._follower.stop()
        self._inbox.close()
        self._outbox.close()

    def admit(self, workload: Workload) -> None:
        """One more is chosen."""
        self._exam.admit(workload)
        if self._follower is not None:
            with contextlib.suppress(OSError):  # it failed, and the judge goes on alone
                self._outbox.send(workload)

    def _receive(self) -> None:
        """All that has come."""
        with contextlib.suppress(EOFError, OSError):
            for key, expectation in self._inbox.arrived():
                self._exam.learn(key, expectation)

    def _work_out(self, told: Connection, outbox: Connection) -> None:
        """In the second process, for ever."""
        exam = self._exam
        own = own_calls(exam)
        waiting = deque(exam.key(call.question, call.weights or FIRST_WEIGHTS) for call in own)
        while True:
            while told.poll() or not waiting:
                exam.admit(told.recv())
                waiting.append(exam.key(Question(len(exam.plan.workloads) - 1)))
            self._answer(waiting.popleft(), outbox)

    def _answer(self, key: Key, outbox: Connection) -> None:
        """What it takes to answer one question was often another one."""
        before = self._exam.known()
        with contextlib.suppress(TaskError):
            self._exam.expectation(*key)
        for found in self._exam.known() - before:
            outbox.send((found, self._mail.post(self._exam.expectation(*found))))
