"""Judging: candidates evaluated one after the other, in the order given.

    raise the wall -> draw the exam -> observe each candidate -> judge

The rule: a candidate's failure is data and becomes a status. A task's failure is `invalid_task`,
ours is `not_run`; neither stops the others.

StageClock: seconds by stage, from the reports that a candidate's way through makes anyway.


Kept memory: what the judge frees it takes again, and the kernel need not fill it with zeros.

The rule: references make and drop tensors of the same sizes hundreds of times. By default glibc
gives each one of 32 MiB or more back to the kernel, and a third of the time for truths goes into
faulting new pages in. Up to a limit the process keeps them; elsewhere than glibc nothing happens.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from assay.data.candidate import Candidate
from assay.data.device import Device
from assay.data.observations.observation import HostFailed, TaskBroken
from assay.data.progress import Progress, Report, Show
from assay.data.run import Judgement
from assay.judge_process.messages import Job


class StageClock:
    """A report that passes on what it is told, and adds up how long each stage took."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._seconds: dict[str, float] = {}
        self._stage = ""
        self._since_s = self._began_s = time.monotonic()

    def __call__(self, stage: str, fraction: float | None) -> None:
        """A stage begins or goes on."""
        self._close()
        self._stage = stage
        self._report(stage, fraction)

    @property
    def elapsed_s(self) -> float:
        """Since it was made."""
        return time.monotonic() - self._began_s

    def seconds(self) -> dict[str, float]:
        """By stage, in the order in which they began, up to now."""
        self._close()
        return {stage: round(seconds, 4) for stage, seconds in self._seconds.items()}

    def _close(self) -> None:
        now_s = time.monotonic()
        if self._stage:
            self._seconds[self._stage] = self._seconds.get(self._stage, 0.0) + now_s - self._since_s
        self._since_s = now_s


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_LARGEST = 512 << 20  # of one tensor
_KEPT = 2047 << 20  # of all that is free; an int holds no more


def keep_freed_memory() -> None:
    """For the rest of this process's life."""
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_MMAP_THRESHOLD, _LARGEST)
        mallopt(_M_TRIM_THRESHOLD, _KEPT)


if TYPE_CHECKING:
    from assay.context import EvaluationContext
    from assay.judge_process.kept_exams import KeptExams

T = TypeVar("T")


def judge_job(job: Job, progress: Show, kept_exams: KeptExams) -> Generator[Judgement, None, None]:
    """Judge everything in this process, which is the judge's own."""
    from assay.devices.device_registry import for_judging
    from assay.judge_process.judging import keep_freed_memory

    keep_freed_memory()
    device = for_judging(job.settings.device)
    if job.failure is not None:
        yield from failed(job, job.failure, device.describe())
        return
    context = kept_exams.context(job)
    context.judge_at_once(job.at_once)
    work = _work(context, list(job.candidates), progress)
    # What goes on in threads must be over before the next job.
    for judgement in in_order(work, context.at_once, wait=job.keep is not None):
        kept_exams.note(judgement)
        yield judgement


def failed(job: Job, failure: TaskBroken | HostFailed, device: Device) -> Iterator[Judgement]:
    """The same failure for every candidate: nothing is run."""
    from assay.judgement import JudgementBuilder, RunResult
    from assay.sandbox.host.wall import usable_threads

    judging = JudgementBuilder(job.task, job.settings, device, usable_threads())
    for candidate in job.candidates:
        yield judging.judgement(candidate, RunResult((failure,), 0.0))


def evaluate_in_order(
    context: EvaluationContext, candidates: list[Candidate], progress: Show | None = None
) -> Iterator[Judgement]:
    """Judge candidates in a context whose wall is up, in the order given."""
    yield from in_order(_work(context, candidates, progress), context.at_once)


def _work(
    context: EvaluationContext, candidates: list[Candidate], progress: Show | None
) -> list[Callable[[], Judgement]]:
    return [
        functools.partial(_judge, context, one, functools.partial(_show, progress, i, candidates))
        for i, one in enumerate(candidates)
    ]


def in_order(work: Sequence[Callable[[], T]], jobs: int, wait: bool = False) -> Iterator[T]:
    """Run at most `jobs` at once; each piece waits on sandboxed processes, so threads do.

    Closed early, it leaves pieces alone that have begun, or waits for them.
    """
    if jobs <= 1 or len(work) <= 1:
        for piece in work:
            yield piece()
        return
    pool = ThreadPoolExecutor(max_workers=jobs)
    try:
        for future in [pool.submit(piece) for piece in work]:
            yield future.result()
    finally:
        pool.shutdown(wait=wait, cancel_futures=True)


def _judge(context: EvaluationContext, candidate: Candidate, report: Report) -> Judgement:
    from assay.judgement import RunResult

    clock = StageClock(report)
    observations = context.observe(candidate, clock)
    run_result = RunResult(tuple(observations), clock.elapsed_s, clock.seconds())
    return context.judge(candidate, run_result)


def _show(
    progress: Show | None,
    index: int,
    candidates: list[Candidate],
    stage: str,
    fraction: float | None,
) -> None:
    if progress is not None:
        progress(Progress(candidates[index].name, index, len(candidates), stage, fraction))
