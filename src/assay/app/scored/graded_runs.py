"""Graded runs: the runs a user named, read into what scores are made from.

The rule: tasks of a run's suite or search that no candidate was given for count as failed. Where
the suite can no longer be listed a line on stderr says so, and only tasks with candidates count.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from assay.app.stored.stored_run import stored_run
from assay.app.suite.tasks_command import is_suite
from assay.data.candidate import Candidate
from assay.data.run import Run
from assay.errors import AssayError
from assay.scores.graded import Graded, GradedTask, graded, graded_task
from assay.store.run_store import RunStore
from assay.workbench.search_log import stored_plan


@dataclass(frozen=True)
class GradedRuns:
    """All tasks and entries of some runs."""

    names: tuple[str, ...]  # ids of the runs
    tasks: tuple[GradedTask, ...]
    entries: tuple[Graded, ...]
    candidates: dict[str, Candidate]  # by id


def graded_runs(names: Sequence[str], attempted_only: bool = False) -> GradedRuns:
    """Read the runs; each name is RUN or RUN#ID."""
    ids, entries = [], []
    tasks: dict[str, GradedTask] = {}
    candidates: dict[str, Candidate] = {}
    for name in dict.fromkeys(names):
        store, run = stored_run(name)
        with store:
            ids.append(run.id)
            for task in () if attempted_only else asked_tasks(store, run):
                tasks.setdefault(task.name, task)
            for entry, verdict in store.verdicts(run):
                one = graded(run.id, entry, verdict)
                entries.append(one)
                candidates[one.candidate_id] = entry.candidate
                if entry.task.id not in tasks:
                    tasks[entry.task.id] = graded_task(entry.task)
    return GradedRuns(tuple(ids), tuple(tasks.values()), tuple(entries), candidates)


def asked_tasks(store: RunStore, run: Run) -> list[GradedTask]:
    """Every task of a search, whether or not it has a candidate; of any other run its suite's."""
    plan = stored_plan(store, run)
    return suite_tasks(run.suite) if plan is None else [graded_task(one) for one in plan.tasks]


def suite_tasks(suite: str) -> list[GradedTask]:
    """Every task of a suite; none, with a line on stderr, where it cannot be listed."""
    from assay.tasks.catalog import tasks_of

    if not is_suite(suite):
        return []
    try:
        return [graded_task(task) for task in tasks_of(suite)]
    except AssayError as error:
        text = f"the suite {suite} cannot be listed, so tasks without a candidate are not counted"
        sys.stderr.write(f"assay: {text}: {error}\n")
        return []
