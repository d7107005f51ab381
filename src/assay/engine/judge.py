"""Judge: an evaluator that stays warm over tasks and candidates, for any number of threads.

    with assay.Judge(level="quick", timing=False) as judge:
        verdict = judge.evaluate("softmax", "kernel.py")

The rule: the verdict of a candidate is that of `evaluate`; what is kept between two of them is
never a candidate's process, and an exam serves a bounded number of candidates. Closing it ends
every process and thread that it started.
"""

from __future__ import annotations

import asyncio
import os
import weakref
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from assay.data.candidate import Candidate
from assay.data.plan import Plan
from assay.data.progress import Progress, Show
from assay.data.run import Judgement
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Verdict
from assay.devices.device_registry import backend, usual_jobs
from assay.engine.judge_pool import JudgeCounts, JudgePool
from assay.engine.judge_request import JudgeRequest, Step
from assay.errors import UsageError
from assay.judge_process.messages import Job
from assay.pipeline import job_of, settings_of

TaskLike = str | Path | Task
CandidateLike = str | Path | Candidate
_AHEAD = 2  # requests handed over for each that can be judged at a time


class Judge:
    """Judges candidates of any task on one device; `options` are fields of `Settings` by name.

    `jobs` candidates are judged at a time: by default one for each processor, and on a device of
    its own as many as usual there. Where they are timed, one process judges them side by side, or
    two on a device of its own, and they are timed one by one.
    """

    def __init__(self, device: str = "cpu", jobs: int | None = None, **options: Any) -> None:
        if jobs is not None and jobs < 1:
            raise UsageError(f"jobs must be at least 1, not {jobs}")
        self._settings = settings_of(None, {"device": device} | options)
        accelerated = backend(device).accelerated
        cores = len(os.sched_getaffinity(0))
        most = jobs or (usual_jobs(device) if accelerated else cores)
        self._pool = JudgePool(most, share=jobs is not None)
        self._end = weakref.finalize(self, self._pool.close)

    def evaluate(self, task: TaskLike, candidate: CandidateLike, **options: Any) -> Verdict:
        """Judge one candidate of one task."""
        (judgement,) = self.evaluate_many(task, [candidate], **options)
        return judgement.verdict

    def evaluate_many(
        self,
        task: TaskLike,
        candidates: Iterable[CandidateLike],
        settings: Settings | None = None,
        progress: Show | None = None,
        replay: Plan | None = None,
        **options: Any,
    ) -> Generator[Judgement, None, None]:
        """Judge candidates of one task, in the order given; some are judged ahead.

        `settings` replace those of this Judge. `progress` is called from other threads. Closing
        the generator stops the work.
        """
        job = job_of(task, candidates, self._chosen(settings, options), replay)
        return self._in_order(job, progress)

    def submit(self, task: TaskLike, candidate: CandidateLike, **options: Any) -> Future[Judgement]:
        """Judge one candidate meanwhile; cancelling the future stops the work."""
        job = job_of(task, [candidate], self._chosen(None, options))
        request = JudgeRequest(job)
        self._pool.submit(request)
        return request.future

    async def stream(
        self,
        pairs: Iterable[tuple[TaskLike, CandidateLike]]
        | AsyncIterable[tuple[TaskLike, CandidateLike]],
        **options: Any,
    ) -> AsyncGenerator[Judgement, None]:
        """Judge pairs of task and candidate, in the order given; a few are taken ahead."""
        waiting: deque[asyncio.Future[Judgement]] = deque()
        try:
            async for task, candidate in _each(pairs):
                waiting.append(asyncio.wrap_future(self.submit(task, candidate, **options)))
                if len(waiting) >= self._ahead:
                    yield await waiting.popleft()
            while waiting:
                yield await waiting.popleft()
        finally:
            for one in waiting:
                one.cancel()

    def counts(self) -> JudgeCounts:
        """Processes started and exams drawn so far."""
        return self._pool.counts()

    def close(self) -> None:
        """Stop the work, and end every process; futures that are left are cancelled."""
        self._end()

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _ahead(self) -> int:
        return _AHEAD * self._pool.jobs

    def _chosen(self, settings: Settings | None, options: dict[str, Any]) -> Settings:
        """How many at a time is for the pool to say: judgements of one by one say 1."""
        return settings_of(settings or self._settings, options | {"jobs": 1})

    def _in_order(self, job: Job, progress: Show | None) -> Generator[Judgement, None, None]:
        ahead: deque[JudgeRequest] = deque()
        total, given = len(job.candidates), 0
        try:
            while given < total or ahead:
                while given < total and len(ahead) < self._ahead:
                    alone = job.model_copy(update={"candidates": job.candidates[given : given + 1]})
                    name = job.candidates[given].name
                    request = JudgeRequest(alone, _step(progress, name, given, total))
                    self._pool.submit(request)
                    ahead.append(request)
                    given += 1
                judgement = ahead[0].future.result()
                ahead.popleft()
                yield judgement
        finally:
            for request in ahead:
                request.cancel()


def _step(progress: Show | None, name: str, index: int, total: int) -> Step | None:
    if progress is None:
        return None
    return lambda stage, fraction: progress(Progress(name, index, total, stage, fraction))


async def _each(
    pairs: Iterable[tuple[TaskLike, CandidateLike]] | AsyncIterable[tuple[TaskLike, CandidateLike]],
) -> AsyncGenerator[tuple[TaskLike, CandidateLike], None]:
    if isinstance(pairs, AsyncIterable):
        async for pair in pairs:
            yield pair
    else:
        for pair in pairs:
            yield pair
