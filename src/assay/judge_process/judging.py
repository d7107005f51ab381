"""Judging: candidates put to a hearing one after the other, in the order given.

    raise the wall -> draw the exam -> observe each candidate -> judge

The rule: a candidate's failure is data and becomes a status. A task's failure is `invalid_task`,
ours is `not_run`; neither stops the others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING

from assay.data.candidate import Candidate
from assay.data.progress import Progress
from assay.data.run import Judgement
from assay.dispatch.local_pool import in_order
from assay.judge_process.messages import Job
from assay.judge_process.stages import Report, StageClock

if TYPE_CHECKING:
    from assay.hearing import Hearing

Show = Callable[[Progress], None]


def judge_job(job: Job, progress: Show) -> Generator[Judgement, None, None]:
    """Judge everything in this process, which is the judge's own."""
    from assay.devices.registry import for_judging
    from assay.languages.registry import language
    from assay.worker.host.kept_memory import keep_freed_memory
    from assay.worker.host.wall import Wall

    keep_freed_memory()
    settings, candidates = job.settings, list(job.candidates)
    for_judging(settings.device)
    modules = tuple(sorted({name for c in candidates for name in language(c.language).preload}))
    expected = 0 if job.failure else len(candidates)
    with Wall(
        modules, expected=expected, device=settings.device, tf32=settings.tf32
    ) as wall:  # warms up while this process imports torch
        from assay.hearing import Hearing

        hearing = Hearing(wall, job.task, settings, job.replay, job.failure)
        yield from hear(hearing, candidates, progress)


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


def _judge(hearing: Hearing, candidate: Candidate, report: Report) -> Judgement:
    clock = StageClock(report)
    observations = hearing.observe(candidate, clock)
    stages = clock.seconds()
    return hearing.judge(candidate, observations, clock.elapsed_s, stages)


def _show(
    progress: Show | None,
    index: int,
    candidates: list[Candidate],
    stage: str,
    fraction: float | None,
) -> None:
    if progress is not None:
        progress(Progress(candidates[index].name, index, len(candidates), stage, fraction))
