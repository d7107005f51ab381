"""`assay run`: judge many candidates of many tasks, and keep what is found.

The rule: what the user could have got wrong is found before anything runs, and what is left out is
named. The same command goes on where it was stopped.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import closing

import assay
from assay.app.flag_settings import settings_from
from assay.app.flags import RunFlags
from assay.app.tasks_command import is_suite
from assay.data.record import content_id
from assay.data.run import Entry, Run
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Status
from assay.devices import device_registry
from assay.engine.candidate_list import Unread, candidates_at
from assay.engine.suite_run import SuiteRun, begun
from assay.errors import UsageError
from assay.report.console import progress_console, result_console
from assay.report.run_progress import RunProgress
from assay.report.run_table import run_table
from assay.store.run_store import RunStore
from assay.tasks.catalog import resolve, tasks_of


def run(flags: RunFlags) -> int:
    """Find the candidates, store them, judge what is open, print the table."""
    settings = settings_from(flags, None)
    device_registry.backend(settings.device)
    tasks = tasks_of(flags.suite) if is_suite(flags.suite) else (resolve(flags.suite),)
    with RunStore(flags.out, create=not flags.resume) as store:
        begins = _the_run(store, flags, settings)
        begun(store, begins)
        _add(store, begins, _entries(flags, tasks))
        _judge(store, begins, flags)
        rows = store.summary(begins)
        if not flags.json:
            result_console().print(run_table(rows))
    return _exit_code([row["status"] for row in rows])


def _the_run(store: RunStore, flags: RunFlags, settings: Settings) -> Run:
    """The run that this command began before, or a new one."""
    key = content_id(flags.suite, settings.model_dump_json(exclude={"jobs"}), assay.__version__)
    known = [one for one in store.runs() if one.id.endswith(key)]
    if known:
        return known[-1].model_copy(update={"settings": settings})
    if flags.resume:
        raise UsageError(
            f"{flags.out} holds no run of this suite with these settings: leave --resume out"
        )
    now = time.time()
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    return Run(
        id=f"{stamp}-{key}",
        suite=flags.suite,
        settings=settings,
        assay=assay.__version__,
        started_at=now,
    )


def _entries(flags: RunFlags, tasks: tuple[Task, ...]) -> Generator[Entry, None, None]:
    """The candidates that can be read; every other is named on stderr."""
    count = left_out = 0
    for found in candidates_at(flags.candidates, tasks):
        if isinstance(found, Unread):
            left_out += 1
            print(f"assay: left out {found.where}: {found.why}", file=sys.stderr)  # noqa: T201
        else:
            count += 1
            yield found
    if not count:
        raise UsageError(f"{flags.candidates} holds no candidate for a task of {flags.suite}")


def _add(store: RunStore, run: Run, entries: Generator[Entry, None, None]) -> None:
    with closing(entries):
        store.add(run, entries)


def _judge(store: RunStore, run: Run, flags: RunFlags) -> None:
    jobs = run.settings.jobs
    progress = RunProgress(progress_console(), store.counts(run), quiet=flags.quiet or flags.json)
    one_at_a_time = run.model_copy(update={"settings": run.settings.model_copy(update={"jobs": 1})})
    suite_run = SuiteRun(store, one_at_a_time, jobs, progress.show)
    with progress, closing(suite_run.answers()) as answers:
        for answer in answers:
            progress.add(answer.entry, answer.judgement.verdict)
            if flags.json:
                sys.stdout.write(answer.judgement.verdict.model_dump_json() + "\n")
                sys.stdout.flush()


def _exit_code(statuses: list[str | None]) -> int:
    if None in statuses or Status.NOT_RUN.value in statuses:
        return 3
    return 0 if set(statuses) == {Status.ACCEPTED.value} else 1
