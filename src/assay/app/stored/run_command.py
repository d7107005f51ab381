"""`assay run`: judge many candidates of many tasks, and keep what is found.

The rule: what the user could have got wrong is found before anything runs, and what is left out is
named. The same command goes on where it was stopped.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Generator
from contextlib import closing
from itertools import chain

import assay
from assay.app.flag_settings import settings_from
from assay.app.stored.run_flags import RunFlags
from assay.app.tasks_command import is_suite
from assay.data.record import content_id
from assay.data.run import Entry, Run, RunEvent
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Status
from assay.devices import device_registry
from assay.engine.candidate_list import candidates_at
from assay.engine.suite_run import SuiteRun, begun
from assay.errors import AssayError, Terminated, UsageError
from assay.report.console import progress_console, result_console
from assay.report.run_progress import RunProgress
from assay.report.run_table import run_table
from assay.store.run_store import RunStore
from assay.tasks.catalog import resolve, tasks_of
from assay.tasks.unread import Unread


def run(flags: RunFlags) -> int:
    """Find the candidates, store them, judge what is open, print the table."""
    settings = settings_from(flags, None)
    device_registry.backend(settings.device)
    tasks = tasks_of(flags.suite) if is_suite(flags.suite) else (resolve(flags.suite),)
    with closing(_entries(flags, tasks)) as found:
        first = next(found)  # where there is none that is said before a store is made
        with RunStore(flags.out, create=not flags.resume) as store:
            begins = _the_run(store, flags, settings)
            store.add(begins, chain([first], found))
            return _exit_code(_judged(store, begins, flags))


def _judged(store: RunStore, run: Run, flags: RunFlags) -> list[str | None]:
    """Judge what is open and print the table; the status of every entry."""
    try:
        _judge(store, run, flags)
    except BaseException as error:
        _stopped(store, run, error)
        raise
    rows = store.summary(run)
    store.tell(run, RunEvent(at=time.time(), kind="finished", data=store.counts(run)))
    if not flags.json:
        result_console().print(run_table(rows))
    return [row["status"] for row in rows]


def _the_run(store: RunStore, flags: RunFlags, settings: Settings) -> Run:
    """The run that this command began before, or a new one."""
    key = content_id(flags.suite, settings.model_dump_json(exclude={"jobs"}), assay.__version__)
    if flags.resume and not any(one.id.endswith(key) for one in store.runs()):
        raise UsageError(
            f"{flags.out} holds no run of this suite with these settings: leave --resume out"
        )
    now = time.time()
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    new = Run(
        id=f"{stamp}-{key}",
        suite=flags.suite,
        settings=settings,
        assay=assay.__version__,
        started_at=now,
    )
    return begun(store, new, like=key).model_copy(update={"settings": settings})


def _stopped(store: RunStore, run: Run, error: BaseException) -> None:
    """Note it. To a user who stopped it, say what is kept and how to go on."""
    with contextlib.suppress(AssayError):  # the store may be what failed
        counts = store.counts(run)
        if isinstance(error, KeyboardInterrupt | Terminated):
            left, total = counts.get("open", 0), sum(counts.values())
            text = f"{total - left} of {total} are judged and kept; the same command goes on"
            print(f"assay: {text}", file=sys.stderr)  # noqa: T201
        told = {"why": type(error).__name__, "counts": counts}
        store.tell(run, RunEvent(at=time.time(), kind="stopped", data=told))


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


def _judge(store: RunStore, run: Run, flags: RunFlags) -> None:
    jobs = run.settings.jobs
    one_at_a_time = run.model_copy(update={"settings": run.settings.model_copy(update={"jobs": 1})})
    progress = RunProgress(
        progress_console(), lambda: store.counts(run), run.settings.device, quiet=_is_quiet(flags)
    )
    suite_run = SuiteRun(store, one_at_a_time, jobs, progress.show)
    with progress, closing(suite_run.answers()) as answers:
        for answer in answers:
            progress.add(answer.entry, answer.judgement.verdict)
            if flags.json:
                sys.stdout.write(answer.judgement.verdict.model_dump_json() + "\n")
                sys.stdout.flush()


def _is_quiet(flags: RunFlags) -> bool:
    """With --json a live line beside results in a file, and nothing beside results on a screen."""
    return flags.quiet or (flags.json and (sys.stdout.isatty() or not sys.stderr.isatty()))


def _exit_code(statuses: list[str | None]) -> int:
    if None in statuses or Status.NOT_RUN.value in statuses:
        return 3
    return 0 if set(statuses) == {Status.ACCEPTED.value} else 1
