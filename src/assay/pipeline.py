"""The one pipeline: (Task, Candidate, settings) -> Verdict.

    read what was asked -> hand it to a judge process -> give its judgements back

The rule: the caller's process is left as it was. Nothing of a task or a candidate runs in it; a
mistake among the arguments is one UsageError before anything starts.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from assay.data.candidate import Candidate
from assay.data.plan import Plan
from assay.data.progress import Show
from assay.data.run import Judgement
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Verdict
from assay.devices.device_registry import backend
from assay.errors import UsageError
from assay.judge_process.judging import evaluate_in_order
from assay.judge_process.messages import Job
from assay.judge_process.relay import judgements
from assay.languages.candidate_file import candidate_of_text
from assay.languages.language_registry import language
from assay.tasks.catalog import adapted, candidate_at, resolve
from assay.tasks.readers.kernelbench import task_of_text

__all__ = ["Show", "evaluate", "evaluate_in_order", "evaluate_many"]


def evaluate(
    task: str | Path | Task,
    candidate: str | Path | Candidate,
    settings: Settings | None = None,
    **options: Any,
) -> Verdict:
    """Judge one candidate of one task. `options` are fields of `Settings` by name."""
    (judgement,) = evaluate_many(task, [candidate], settings, **options)
    return judgement.verdict


def evaluate_many(
    task: str | Path | Task,
    candidates: Iterable[str | Path | Candidate],
    settings: Settings | None = None,
    progress: Show | None = None,
    replay: Plan | None = None,
    **options: Any,
) -> Generator[Judgement, None, None]:
    """Judge candidates of one task, in the order given; later ones cost a fraction of the first.

    Each is judged when it is asked for. With `replay` the secret and the workloads of an earlier
    plan are used again. `options` are fields of `Settings` by name.
    """
    chosen = settings_of(settings, options)
    return judgements(job_of(task, candidates, chosen, replay), progress)


def job_of(
    task: str | Path | Task,
    candidates: Iterable[str | Path | Candidate],
    settings: Settings,
    replay: Plan | None = None,
) -> Job:
    """What is to be judged, read and checked."""
    if isinstance(candidates, str | Path | Candidate):
        raise UsageError("candidates is a list; for a single one use evaluate")
    wanted = task_of(task)
    return Job(
        task=wanted,
        candidates=tuple(candidate_of(one, wanted) for one in candidates),
        settings=settings,
        replay=replay,
        path=tuple(sys.path),
    )


def settings_of(settings: Settings | None, options: Mapping[str, Any]) -> Settings:
    """The settings with the options over them, checked."""
    if settings is not None and not isinstance(settings, Settings):
        raise UsageError(f"settings is a Settings, not {type(settings).__name__}")
    unknown = [name for name in options if name not in Settings.model_fields]
    if unknown:
        known = ", ".join(Settings.model_fields)
        raise UsageError(f"unknown setting {', '.join(map(repr, unknown))}; known: {known}")
    try:
        made = Settings.model_validate(_given(settings) | dict(options))
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"setting {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    for name in ("timeout_s", "build_timeout_s"):
        if not (math.isfinite(value := getattr(made, name)) and value > 0):
            raise UsageError(f"setting {name} must be a positive number of seconds, not {value:g}")
    if made.time_shapes and not made.timing:
        raise UsageError("setting time_shapes measures speed, which timing=False switches off")
    backend(made.device)  # an unknown name; whether it can be used the judge process finds out
    return made


def _given(settings: Settings | None) -> dict[str, Any]:
    """What was said; what was not follows from the options too, as timing does from the level."""
    return {} if settings is None else settings.model_dump(exclude_unset=True)


def task_of(task: str | Path | Task) -> Task:
    """A Task as it is; a text of several lines is a source, any other a name or a path."""
    if isinstance(task, Task):
        return task
    if isinstance(task, str) and "\n" in task:
        return task_of_text(task)
    return resolve(str(task))


def candidate_of(candidate: str | Path | Candidate, task: Task) -> Candidate:
    """A Candidate as it is; a text of several lines is a source, any other a path.

    What is read may have the entry of the task's own format.
    """
    if isinstance(candidate, Candidate):
        language(candidate.language)  # an unknown one is a mistake
        return candidate
    if isinstance(candidate, str) and "\n" in candidate:
        return adapted(candidate_of_text(candidate), task)
    try:
        path = Path(candidate)
    except TypeError as error:
        kind = type(candidate).__name__
        text = f"a candidate is a path, a source or a Candidate, not {kind}"
        raise UsageError(text) from error
    return candidate_at(path, task)
