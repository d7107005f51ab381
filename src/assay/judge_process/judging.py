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

T = TypeVar("T")


def judge_job(job: Job, progress: Show) -> Generator[Judgement, None, None]:
    """Judge everything in this process, which is the judge's own."""
    from assay.devices.device_registry import for_judging
    from assay.judge_process.judging import keep_freed_memory
    from assay.languages.language_registry import language
    from assay.sandbox.host.wall import SandboxExtras, Wall

    keep_freed_memory()
    settings, candidates = job.settings, list(job.candidates)
    device = for_judging(settings.device)
    if job.failure is not None:
        yield from failed(job, job.failure, device.describe())
        return
    modules = tuple(sorted({name for c in candidates for name in language(c.language).preload}))
    extras = SandboxExtras(modules, packages=_packages(job))
    with Wall(
        extras, expected=len(candidates), device=settings.device, tf32=settings.tf32
    ) as wall:  # warms up while this process imports torch
        from assay.context import EvaluationContext

        context = EvaluationContext(wall, job.task, settings, job.replay)
        yield from evaluate_in_order(context, candidates, progress)


def _packages(job: Job) -> tuple[str, ...]:
    """What the candidates' languages declare and the user names."""
    from assay.languages.language_registry import needed_packages

    declared = [name for c in job.candidates for name in needed_packages(c.sources, c.language)]
    return tuple(dict.fromkeys((*declared, *job.settings.allow_packages)))


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
    work = [
        functools.partial(_judge, context, one, functools.partial(_show, progress, i, candidates))
        for i, one in enumerate(candidates)
    ]
    # Timing needs the machine to itself.
    yield from in_order(work, context.settings.at_once)


def in_order(work: Sequence[Callable[[], T]], jobs: int) -> Iterator[T]:
    """Run at most `jobs` at once; each piece waits on sandboxed processes, so threads do."""
    if jobs <= 1 or len(work) <= 1:
        for piece in work:
            yield piece()
        return
    pool = ThreadPoolExecutor(max_workers=jobs)
    try:
        for future in [pool.submit(piece) for piece in work]:
            yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


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
