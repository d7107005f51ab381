"""`assay tasks`: list what can be asked for, or show one task in full."""

from __future__ import annotations

import sys

from assay.app.flags import TasksFlags
from assay.data.task import Task
from assay.errors import UsageError
from assay.report.console import result_console
from assay.report.tasks_text import task_list, task_page
from assay.tasks.catalog import resolve, suites, tasks_of, unread_of
from assay.tasks.static_remarks import static_remarks
from assay.tasks.unread import Unread


def run(flags: TasksFlags) -> int:
    """The native suite; or another; or one task, by suite and id, by its name or by its file."""
    name = flags.suite or "native"
    if not is_suite(name):
        if flags.id is not None:
            raise UsageError(f"unknown suite '{name}'; known: {', '.join(suites())}")
        return _show(resolve(name), flags.json)
    listed = list(tasks_of(name))
    if flags.id is not None:
        return _show(_one(listed, flags.id), flags.json)
    if flags.json:
        for task in listed:
            sys.stdout.write(task.model_dump_json() + "\n")
    else:
        result_console().print(task_list(listed))
    _tell(listed, unread_of(name))
    return 0


def _tell(listed: list[Task], left_out: tuple[Unread, ...]) -> None:
    """How many, what is to know of some, what could not be read; a list of tasks stays one."""
    found: dict[str, list[str]] = {}
    for task in listed:
        for remark in static_remarks(task):
            found.setdefault(remark, []).append(task.id)
    sys.stderr.write(f"{len(listed)} tasks read\n")
    for remark, names in found.items():
        sys.stderr.write(f"{len(names)}: {remark}\n  {', '.join(names)}\n")
    if left_out:
        sys.stderr.write(f"{len(left_out)} could not be read:\n")
    for one in left_out:
        sys.stderr.write(f"  {one.where}: {one.why}\n")


def is_suite(name: str) -> bool:
    """True where the name is a suite's: `native`, `kernelbench:FOLDER`, but no `...#ID`."""
    readers = {suite.partition(":")[0] for suite in suites()}
    return name.partition(":")[0] in readers and "#" not in name


def _one(listed: list[Task], name: str) -> Task:
    for task in listed:
        if task.id == name:
            return task
    raise UsageError(f"no task '{name}' there; known: {', '.join(task.id for task in listed)}")


def _show(task: Task, json: bool) -> int:
    if json:
        sys.stdout.write(task.model_dump_json() + "\n")
    else:
        result_console().print(task_page(task))
        for remark in static_remarks(task):
            sys.stderr.write(f"{remark}\n")
    return 0
