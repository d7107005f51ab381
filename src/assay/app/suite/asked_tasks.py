"""The tasks that a command is asked about: of a suite, or one.

The rule: what of a suite could not be read is said once, before anything is done with the rest.
"""

from __future__ import annotations

from assay.app.flag_settings import note
from assay.app.suite.tasks_command import is_suite
from assay.data.task import Task
from assay.tasks.catalog import resolve, tasks_of, unread_of


def asked_tasks(name: str) -> tuple[Task, ...]:
    """Every task of the suite of that name, or the one task."""
    if not is_suite(name):
        return (resolve(name),)
    found, unread = tasks_of(name), unread_of(name)
    if unread:
        first = f"{unread[0].where}: {unread[0].why}"
        rest = f"; `assay tasks {name}` lists all {len(unread)}" if len(unread) > 1 else ""
        note(f"{len(unread)} of {name} could not be read and is left out: {first}{rest}")
    return found
