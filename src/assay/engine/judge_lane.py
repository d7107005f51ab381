"""JudgeLane: a thread with one judge process, which stays from job to job.

The rule: the process is given back after a number of jobs, when its memory or a task's doing makes
it unfit, and when nobody wants what it is at. A new one is started for the next job.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

from assay.data.progress import Progress
from assay.engine.judge_request import JudgeRequest, LaneKind
from assay.judge_process.handle import JudgeProcess
from assay.judge_process.messages import Done, Job, Keep
from assay.judge_process.relay import judgements

_LOG = logging.getLogger(__name__)
_MOST_JOBS = 200  # of one process: what leaks slowly in torch or a task ends with it
_GRACE_S = 5.0  # to finish what nobody wants any more: starting anew takes about as long


class Abandoned(Exception):
    """Nobody wants what is being judged."""


@dataclass(frozen=True)
class LaneWork:
    """Requests of one group, and how many of them at a time."""

    requests: tuple[JudgeRequest, ...]
    at_once: int
    slots: int  # of the pool, that it takes
    lanes: int = 1  # that divide the device among them

    def job(self, keep: Keep) -> Job:
        """All of them as one."""
        changes = {
            "candidates": tuple(one.candidate for one in self.requests),
            "keep": keep,
            "side_by_side": self.at_once,
            "lanes": self.lanes,
        }
        return self.requests[0].job.model_copy(update=changes)


class WorkSource(Protocol):
    """Who hands out the work."""

    closed: bool

    def keep(self, kind: LaneKind) -> Keep:
        """What a process of that kind may keep from job to job."""

    def next_work(self, lane: JudgeLane) -> LaneWork | None:
        """Wait for work that this lane can do; None where there will be none."""

    def finished(self, lane: JudgeLane, work: LaneWork) -> None:
        """It is through with it."""

    def neighbours(self, lane: JudgeLane) -> int:
        """Lanes of its kind that share the processors with it, itself counted."""


class JudgeLane:
    """Serves one request group after the other; the processes of its jobs come from itself."""

    def __init__(self, kind: LaneKind, source: WorkSource) -> None:
        self.kind = kind
        self.busy = False
        self.held: OrderedDict[str, None] = OrderedDict()  # groups whose exams its process keeps
        self._group: str | None = None  # that it is at, where its exam will be kept
        self.started = 0  # processes
        self.drawn = 0  # exams, by processes that are gone
        self.done: Done | None = None  # of the last job of the process that is here
        self._source = source
        self._process: JudgeProcess | None = None
        self._jobs = 0  # of that process
        self._serving: tuple[JudgeRequest, ...] = ()
        self._unwanted_since_s: float | None = None
        self.thread = threading.Thread(target=self._run, name="assay-judge", daemon=True)

    @property
    def is_warm(self) -> bool:
        """Whether a process is there."""
        return self._process is not None

    @property
    def is_settling(self) -> bool:
        """Whether all answers of its job are given, and the process has yet to say the rest."""
        return self.busy and not self._serving

    @property
    def exams_drawn(self) -> int:
        """By all its processes so far."""
        return self.drawn + (self.done.drawn if self.done else 0)

    def begin(self, work: LaneWork) -> None:
        """It is at this work from now on; called with the pool's lock."""
        self.busy, self._serving = True, work.requests

    def hold(self, group: str | None, most: int) -> None:
        """From now on its process has the exam of that group, and of the last few before."""
        self._group = group
        if group is not None:
            self.held[group] = None
            self.held.move_to_end(group)
        while len(self.held) > most:
            self.held.popitem(last=False)

    def take(self, job: Job, at_work: int) -> JudgeProcess:
        """The process that is here, or a new one."""
        if self._process is not None and self._process.can_take(job):
            self._process.hand(job)
            return self._process
        self._end_process()
        if self._group is not None:
            self.held[self._group] = None
        self._process = JudgeProcess(job, self._source.neighbours(self))
        self.started += 1
        return self._process

    def give_back(self, process: JudgeProcess, done: Done | None) -> None:
        """Keep it where it is fit for another job."""
        self._jobs += 1
        if done is not None:
            self.done = done
            if done.spent:
                _LOG.info("a judge process ends after %d jobs: %s", self._jobs, done.spent)
        if done is None or done.spent or self._jobs >= _MOST_JOBS:
            self._end_process()

    def watch(self) -> None:
        """Raise where nobody has wanted any of it for a while, or the work is to end."""
        if any(one.wanted for one in self._serving) and not self._source.closed:
            self._unwanted_since_s = None
            return
        now_s = time.monotonic()
        self._unwanted_since_s = self._unwanted_since_s or now_s
        if self._source.closed or now_s - self._unwanted_since_s > _GRACE_S:
            raise Abandoned

    def _run(self) -> None:
        try:
            while (work := self._source.next_work(self)) is not None:
                try:
                    self._serve(work)
                finally:
                    self._source.finished(self, work)
        finally:
            self._end_process()

    def _serve(self, work: LaneWork) -> None:
        """Each request its answer; an error of ours is that of all which are left."""
        job = work.job(self._source.keep(self.kind))
        try:
            with closing(judgements(job, _shown(work.requests), self)) as stream:
                for request, judgement in zip(work.requests, stream, strict=False):
                    self._serving = self._serving[1:]
                    request.answer(judgement)
                    if not any(one.wanted for one in self._serving):
                        break
        except Abandoned:
            for request in self._serving:
                request.cancel()
        except BaseException as error:
            for request in self._serving:
                request.fail(error)

    def _end_process(self) -> None:
        if self._process is not None:
            self._process.close()
        self._process = None
        self.held.clear()
        self.drawn, self.done = self.exams_drawn, None
        self._jobs = 0


def _shown(requests: tuple[JudgeRequest, ...]) -> Callable[[Progress], None]:
    def show(progress: Progress) -> None:
        step = requests[progress.index].step
        if step is not None:
            step(progress.stage, progress.fraction)

    return show
