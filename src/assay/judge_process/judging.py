"""Judging: candidates put to a hearing one after the other, in the order given.

    raise the wall -> draw the exam -> observe each candidate -> judge

The rule: a candidate's failure is data and becomes a status. A task's failure is `invalid_task`,
ours is `not_run`; neither stops the others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from assay.data.candidate import Candidate
from assay.data.device import Device
from assay.data.observation import HostFailed, TaskBroken
from assay.data.progress import Progress, Report, Show
from assay.data.run import Judgement
from assay.judge_process.messages import Job
from assay.judge_process.stages import StageClock

if TYPE_CHECKING:
    from assay.hearing import Hearing

T = TypeVar("T")


def judge_job(job: Job, progress: Show) -> Generator[Judgement, None, None]:
    """Judge everything in this process, which is the judge's own."""
    from assay.devices.registry import for_judging
    from assay.languages.registry import language
    from assay.worker.host.kept_memory import keep_freed_memory
    from assay.worker.host.wall import Wall

    keep_freed_memory()
    settings, candidates = job.settings, list(job.candidates)
    device = for_judging(settings.device)
    if job.failure is not None:
        yield from failed(job, job.failure, device.describe())
        return
    modules = tuple(sorted({name for c in candidates for name in language(c.language).preload}))
    with Wall(
        modules, expected=len(candidates), device=settings.device, tf32=settings.tf32
    ) as wall:  # warms up while this process imports torch
        from assay.hearing import Hearing

        hearing = Hearing(wall, job.task, settings, job.replay)
        yield from hear(hearing, candidates, progress)


def failed(job: Job, failure: TaskBroken | HostFailed, device: Device) -> Iterator[Judgement]:
    """The same failure for every candidate: nothing is run."""
    from assay.judgement import Course, Judging
    from assay.worker.host.wall import usable_threads

    judging = Judging(job.task, job.settings, device, usable_threads())
    for candidate in job.candidates:
        yield judging.judgement(candidate, Course((failure,), 0.0))


def hear(
    hearing: Hearing, candidates: list[Candidate], progress: Show | None = None
) -> Iterator[Judgement]:
    """Judge candidates in a hearing whose wall stands already, in the order given."""
    work = [
        functools.partial(_judge, hearing, one, functools.partial(_show, progress, i, candidates))
        for i, one in enumerate(candidates)
    ]
    # Timing needs the machine to itself.
    yield from in_order(work, hearing.settings.at_once)


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


def _judge(hearing: Hearing, candidate: Candidate, report: Report) -> Judgement:
    from assay.judgement import Course

    clock = StageClock(report)
    observations = hearing.observe(candidate, clock)
    course = Course(tuple(observations), clock.elapsed_s, clock.seconds())
    return hearing.judge(candidate, course)


def _show(
    progress: Show | None,
    index: int,
    candidates: list[Candidate],
    stage: str,
    fraction: float | None,
) -> None:
    if progress is not None:
        progress(Progress(candidates[index].name, index, len(candidates), stage, fraction))
