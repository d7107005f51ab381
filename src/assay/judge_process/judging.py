"""Judging: the candidates of one job, judged in a context whose wall is up.

    draw the exam -> observe each candidate -> judge

The rule: verdicts come in the order given, however many candidates are judged at once. A
candidate's failure is data and becomes a status. A task's failure is `invalid_task`, ours is
`not_run`; neither stops the others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from assay.data.candidate import Candidate
from assay.data.device import Device
from assay.data.observations.observation import HostFailed, TaskBroken
from assay.data.progress import Progress, Report, Show
from assay.data.run import Judgement
from assay.judge_process.judge_memory import keep_freed_memory
from assay.judge_process.messages import Job
from assay.judge_process.stage_clock import StageClock

if TYPE_CHECKING:
    from assay.context import EvaluationContext
    from assay.judge_process.kept_exams import KeptExams

T = TypeVar("T")


def judge_job(job: Job, progress: Show, kept_exams: KeptExams) -> Generator[Judgement, None, None]:
    """Judge everything in this process, which is the judge's own."""
    from assay.devices.device_registry import for_judging

    keep_freed_memory()
    if job.failure is None:
        kept_exams.warm_up(job)  # while this process imports torch, and looks at the device
    device = for_judging(job.settings.device)
    if job.failure is not None:
        yield from failed(job, job.failure, device.describe())
        return
    context = kept_exams.context(job)
    context.judge_at_once(job.at_once, job.lanes)
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
