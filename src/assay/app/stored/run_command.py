"""`assay run`: judge many candidates of many tasks, and keep what is found.

The rule: what the user could have got wrong is found before anything runs, and what is left out is
named. The same command goes on where it was stopped.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from itertools import chain

from assay.app.flag_settings import note, settings_from
from assay.app.stored.judged_run import (
    RunOutput,
    exit_code_of,
    judge_open,
    require_run,
    run_key,
    the_run,
)
from assay.app.stored.run_flags import RunFlags
from assay.app.suite.asked_tasks import asked_tasks
from assay.data.run import Entry
from assay.data.task import Task
from assay.devices import device_registry
from assay.engine.candidate_list import candidates_at
from assay.errors import UsageError
from assay.report.console import result_console
from assay.report.run_table import run_table
from assay.store.run_store import RunStore
from assay.tasks.unread import Unread


def run(flags: RunFlags) -> int:
    """Find the candidates, store them, judge what is open, print the table."""
    settings = settings_from(flags, None)
    device_registry.backend(settings.device)
    tasks = asked_tasks(flags.suite)
    with closing(_entries(flags, tasks)) as found:
        first = next(found)  # where there is none that is said before a store is made
        with RunStore(flags.out, create=not flags.resume) as store:
            if flags.resume:
                require_run(store, flags.out, run_key(flags.suite, settings))
            begins = the_run(store, flags.suite, settings)
            store.add(begins, chain([first], found))
            judge_open(store, begins, RunOutput(flags.quiet, flags.json))
            rows = store.summary(begins)
    if not flags.json:
        result_console().print(run_table(rows))
    return exit_code_of([row["status"] for row in rows])


def _entries(flags: RunFlags, tasks: tuple[Task, ...]) -> Generator[Entry, None, None]:
    """The candidates that can be read; every other is named on stderr."""
    count = left_out = 0
    for found in candidates_at(flags.candidates, tasks):
        if isinstance(found, Unread):
            left_out += 1
            note(f"left out {found.where}: {found.why}")
        else:
            count += 1
            yield found
    if not count:
        raise UsageError(f"{flags.candidates} holds no candidate for a task of {flags.suite}")
