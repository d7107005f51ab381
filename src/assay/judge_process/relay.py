"""Relay: a job handed to judge processes until every candidate has its judgement.

The rule: a judge process that ends early costs the candidate it was at, or, where the task's own
code ended it, the task. The verdict about that is made by a judge process too, by the same code.
Where processes come from is for `JudgeProcesses` to say: a new one for each job, or a kept one.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Generator
from typing import Protocol

from assay.data.observations.observation import HostFailed, TaskBroken
from assay.data.progress import Progress, Show
from assay.data.run import Judgement
from assay.errors import HostError
from assay.judge_process.handle import JudgeProcess
from assay.judge_process.messages import Done, Failed, Job, Judged, Logged, Message
from assay.judge_process.turns import turn

FIRST_STAGE = "starting"


class JudgeProcesses(Protocol):
    """Where judge processes come from and go to."""

    def take(self, job: Job, at_work: int) -> JudgeProcess:
        """One that was handed the job."""

    def give_back(self, process: JudgeProcess, done: Done | None) -> None:
        """It is through, and says so, or it is not to be used again."""

    def watch(self) -> None:
        """Called while an answer is awaited; raises where none is wanted any more."""


class OneEach:
    """A new process for each job, ended with it."""

    def take(self, job: Job, at_work: int) -> JudgeProcess:
        """A new one."""
        return JudgeProcess(job, at_work)

    def give_back(self, process: JudgeProcess, done: Done | None) -> None:
        """End it."""
        process.close()

    def watch(self) -> None:
        """Whoever waits in this thread wants the answer."""


def judgements(
    job: Job, progress: Show | None, processes: JudgeProcesses | None = None
) -> Generator[Judgement, None, None]:
    """All of them, in the order given. Closing it ends the work on those that are left."""
    given, processes = 0, processes or OneEach()
    while given < len(job.candidates):
        failure: TaskBroken | HostFailed | None = None
        part = job.model_copy(update={"candidates": job.candidates[given:]})
        shown = _shown(job, given, progress)
        with contextlib.closing(_ProcessRun(part, shown, processes)) as run:
            while given < len(job.candidates) and failure is None:
                answer = run.next()
                if isinstance(answer, Judgement):
                    given += 1
                    yield answer
                else:
                    failure = answer
            run.finish()
        if failure is not None and job.failure is not None:
            raise HostError(failure.text)  # not even the failure could be written down
        if isinstance(failure, TaskBroken):
            job = job.model_copy(update={"failure": failure})
        elif failure is not None:
            lost = {"candidates": job.candidates[given : given + 1], "failure": failure}
            yield from judgements(job.model_copy(update=lost), None, processes)
            given += 1


class _ProcessRun:
    """One job of one judge process, begun when the first judgement is asked for."""

    def __init__(
        self,
        job: Job,
        step: Callable[[int, str, float | None], None],
        processes: JudgeProcesses,
    ) -> None:
        self._job = job
        self._step = step
        self._processes = processes
        self._process: JudgeProcess | None = None
        self._done: Done | None = None
        self._left = len(job.candidates)
        self._rests = False  # at a judgement: it waits to be told to go on, or is through

    def next(self) -> Judgement | TaskBroken | HostFailed:
        """The next judgement, or how the process ended instead."""
        if self._process is None:
            self._step(0, FIRST_STAGE, None)
        with turn() as at_work:
            if self._process is None:
                self._process = self._processes.take(self._job, at_work)
            else:
                self._process.go_on()
            return self._answer(self._process)

    def finish(self) -> None:
        """Let the process clean up behind itself, where it is through."""
        with contextlib.suppress(EOFError):
            while self._process is not None and self._done is None:
                self._note_done(self._process.receive(self._processes.watch))

    def close(self) -> None:
        """Give the process back, where there is one; one that rests at a judgement may be kept."""
        if self._process is None:
            return
        try:
            if self._done is None and self._rests and self._job.keep is not None:
                if self._left:
                    self._process.stop()
                self.finish()
        finally:
            self._processes.give_back(self._process, self._done)

    def _answer(self, process: JudgeProcess) -> Judgement | TaskBroken | HostFailed:
        self._rests = False
        while True:
            try:
                message = process.receive(self._processes.watch)
            except EOFError:
                return process.ending()
            if isinstance(message, Judged):
                self._left -= 1
                self._rests = True
                return message.judgement
            if isinstance(message, Failed):
                self.finish()
                raise message.exception()
            if isinstance(message, Logged):
                logging.getLogger(message.logger).log(message.level, "%s", message.text)
            elif isinstance(message, Done):
                self._done = message
                return HostFailed(text="the judge process left a candidate out")
            else:
                self._step(message.index, message.stage, message.fraction)

    def _note_done(self, message: Message) -> None:
        if isinstance(message, Done):
            self._done = message


def _shown(job: Job, given: int, progress: Show | None) -> Callable[[int, str, float | None], None]:
    """Steps of a part of the job as steps of the whole."""

    def show(index: int, stage: str, fraction: float | None) -> None:
        if progress is not None:
            place = given + index
            name = job.candidates[place].name
            progress(Progress(name, place, len(job.candidates), stage, fraction))

    return show
