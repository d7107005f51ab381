"""The one pipeline: (Task, Candidate, settings) -> Verdict.

    resolve -> raise the wall -> draw the exam -> observe each candidate -> judge

A candidate's failure is data and becomes a status. A task's failure is `invalid_task`, ours is
`not_run`; neither stops the others.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.data.candidate import Candidate
from assay.data.plan import Plan
from assay.data.progress import Progress
from assay.data.run import Judgement
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Verdict
from assay.devices.registry import for_judging
from assay.dispatch.local_pool import in_order
from assay.languages.candidate_file import load_candidate
from assay.languages.registry import language
from assay.tasks.catalog import resolve
from assay.worker.host.kept_memory import keep_freed_memory
from assay.worker.host.wall import Wall

if TYPE_CHECKING:
    from assay.hearing import Hearing

Show = Callable[[Progress], None]


def evaluate(
    task: str | Task, candidate: str | Path | Candidate, settings: Settings | None = None
) -> Verdict:
    """Judge one candidate of one task."""
    for judgement in evaluate_many(task, [candidate], settings):
        return judgement.verdict
    raise AssertionError("one candidate gives one judgement")


def evaluate_many(
    task: str | Task,
    candidates: Sequence[str | Path | Candidate],
    settings: Settings | None = None,
    progress: Show | None = None,
    replay: Plan | None = None,
) -> Iterator[Judgement]:
    """Judge candidates of one task, in the order given; later ones cost a fraction of the first.

    With `replay` the secret and the workloads of an earlier plan are used again.
    """
    settings = settings or Settings()
    keep_freed_memory()
    for_judging(settings.device)
    chosen_task = task if isinstance(task, Task) else resolve(task)
    chosen = [c if isinstance(c, Candidate) else load_candidate(Path(c)) for c in candidates]
    preload = {name for c in chosen for name in language(c.language).preload}
    modules = tuple(sorted(preload))
    with Wall(
        modules, expected=len(chosen), device=settings.device, tf32=settings.tf32
    ) as wall:  # warms up while this process imports torch
        from assay.hearing import Hearing

        hearing = Hearing(wall, chosen_task, settings, replay)
        yield from hear(hearing, chosen, progress)


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


def _judge(
    hearing: Hearing, candidate: Candidate, report: Callable[[str, float | None], None]
) -> Judgement:
    started = time.monotonic()
    observations = hearing.observe(candidate, report)
    return hearing.judge(candidate, observations, time.monotonic() - started)


def _show(
    progress: Show | None,
    index: int,
    candidates: list[Candidate],
    stage: str,
    fraction: float | None,
) -> None:
    if progress is not None:
        progress(Progress(candidates[index].name, index, len(candidates), stage, fraction))
