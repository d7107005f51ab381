"""Relay: a job handed to judge processes until every candidate has its judgement.

The rule: a judge process that ends early costs the candidate it was at, or, where the task's own
code ended it, the task. The verdict about that is made by a judge process too, by the same code.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Generator

from assay.data.observations.observation import HostFailed, TaskBroken
from assay.data.progress import Progress, Show
from assay.data.run import Judgement
from assay.errors import HostError
from assay.judge_process.handle import JudgeProcess
from assay.judge_process.messages import Done, Failed, Job, Judged, Logged
from assay.judge_process.turns import turn

FIRST_STAGE = "starting"


def judgements(job: Job, progress: Show | None) -> Generator[Judgement, None, None]:
    """All of them, in the order given. Closing it ends the judge process."""
    given = 0
    while given < len(job.candidates):
        failure: TaskBroken | HostFailed | None = None
        part = job.model_copy(update={"candidates": job.candidates[given:]})
        with contextlib.closing(_ProcessRun(part, _shown(job, given, progress))) as run:
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
            yield from judgements(job.model_copy(update=lost), None)
            given += 1


class _ProcessRun:
    """One judge process, started when the first judgement is asked for."""

    def __init__(self, job: Job, step: Callable[[int, str, float | None], None]) -> None:
        self._job = job
        self._step = step
        self._process: JudgeProcess | None = None

    def next(self) -> Judgement | TaskBroken | HostFailed:
        """The next judgement, or how the process ended instead."""
        if self._process is None:
            self._step(0, FIRST_STAGE, None)
        with turn() as at_work:
            if self._process is None:
                self._process = JudgeProcess(self._job, at_work)
            else:
                self._process.go_on()
            return self._answer(self._process)

    def finish(self) -> None:
        """Let the process clean up behind itself, where it is through."""
        with contextlib.suppress(EOFError):
            while self._process is not None and not isinstance(self._process.receive(), Done):
                pass

    def close(self) -> None:
        """End the process, where there is one."""
        if self._process is not None:
            self._process.close()

    def _answer(self, process: JudgeProcess) -> Judgement | TaskBroken | HostFailed:
        while True:
            try:
                message = process.receive()
            except EOFError:
                return process.ending()
            if isinstance(message, Judged):
                return message.judgement
            if isinstance(message, Failed):
                self.finish()
                raise message.exception()
            if isinstance(message, Logged):
                logging.getLogger(message.logger).log(message.level, "%s", message.text)
            elif isinstance(message, Done):
                return HostFailed(text="the judge process left a candidate out")
            else:
                self._step(message.index, message.stage, message.fraction)


def _shown(job: Job, given: int, progress: Show | None) -> Callable[[int, str, float | None], None]:
    """Steps of a part of the job as steps of the whole."""

    def show(index: int, stage: str, fraction: float | None) -> None:
        if progress is not None:
            place = given + index
            name = job.candidates[place].name
            progress(Progress(name, place, len(job.candidates), stage, fraction))

    return show
