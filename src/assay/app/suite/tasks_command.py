"""`assay tasks`: list what can be asked for, or show one task in full.

The rule: JSON needs neither torch nor rich. A task's page is printed before torch is imported,
which its limits need.
"""

from __future__ import annotations

import sys

from assay.app.flags import TasksFlags
from assay.data.task import Task
from assay.errors import TaskError, UsageError
from assay.tasks.catalog import names_suite, reader, resolve, suites, tasks_of, unread_of
from assay.tasks.static_remarks import static_remarks
from assay.tasks.unread import Unread

_BOARD = "h200"  # as `assay limits` has it


def run(flags: TasksFlags) -> int:
    """The native suite; or another; or one task, by suite and id, by its name or by its file."""
    name = flags.suite or "native"
    if not is_suite(name):
        if flags.id is not None:
            raise UsageError(f"unknown suite '{name}'; known: {', '.join(suites())}")
        return _show(resolve(name), flags)
    listed = list(tasks_of(name))
    if flags.id is not None:
        return _show(_one(listed, flags.id), flags)
    listed = tagged(listed, flags.tag or [])
    if flags.json:
        sys.stdout.write("".join(task.model_dump_json() + "\n" for task in listed))
    else:
        from assay.report.console import result_console
        from assay.report.tasks_text import task_list

        result_console().print(task_list(listed))
    _tell(listed, unread_of(name))
    return 0


def tagged(tasks: list[Task], wanted: list[str]) -> list[Task]:
    """Those that have every wanted tag; a tag that none has is a mistake, told with the known."""
    known = {tag for task in tasks for tag in task.tags}
    for tag in wanted:
        if tag not in known:
            kind = tag.partition(":")[0]
            near = sorted(one for one in known if one.partition(":")[0] == kind)
            raise UsageError(
                f"no task there has the tag '{tag}'; known: {', '.join(near or sorted(known))}"
            )
    return [task for task in tasks if set(wanted) <= set(task.tags)]


def _tell(listed: list[Task], left_out: tuple[Unread, ...]) -> None:
    """How many, what is to know of some, what could not be read; a list of tasks stays one."""
    found: dict[str, list[str]] = {}
    for task in _foreign(listed):
        for remark in static_remarks(task):
            found.setdefault(remark, []).append(task.id)
    sys.stderr.write(f"{len(listed)} tasks read\n")
    for remark, names in found.items():
        sys.stderr.write(f"{len(names)}: {remark}\n  {', '.join(names)}\n")
    if left_out:
        sys.stderr.write(f"{len(left_out)} could not be read:\n")
    for one in left_out:
        sys.stderr.write(f"  {one.where}: {one.why}\n")


def _foreign(tasks: list[Task]) -> list[Task]:
    """Those of others: native ones declare their contracts, and reading all takes a second."""
    return [task for task in tasks if reader(task.format).flat_tolerance]


def is_suite(name: str) -> bool:
    """True where the name is a suite's: `native`, `kernelbench:FOLDER`, but no `...#ID`."""
    return names_suite(name.partition(":")[0]) and "#" not in name


def _one(listed: list[Task], name: str) -> Task:
    for task in listed:
        if task.id == name:
            return task
    raise UsageError(f"no task '{name}' there; known: {', '.join(task.id for task in listed)}")


def _show(task: Task, flags: TasksFlags) -> int:
    if flags.tag:
        raise UsageError("--tag chooses from a suite, not from one task")
    if flags.json:
        sys.stdout.write(task.model_dump_json() + "\n")
        return 0
    from assay.report.console import result_console
    from assay.report.tasks_text import task_page
    from assay.tasks.drawn_inputs import drawn_inputs

    drawn = [(one.name, one.expression) for one in drawn_inputs(task)]
    result_console().print(task_page(task, drawn))
    sys.stdout.flush()
    for remark in [remark for one in _foreign([task]) for remark in static_remarks(one)]:
        sys.stderr.write(f"{remark}\n")
    if flags.limits:
        _show_limits(task)
    return 0


def _show_limits(task: Task) -> None:
    """What it must move and compute at its own sizes, traced from shapes alone."""
    from assay.devices.peaks import board
    from assay.limits.task_floor import floor_of
    from assay.report.console import result_console
    from assay.report.hardware.limits_text import limits_table

    peaks = board(_BOARD)
    console = result_console()
    console.print()
    try:
        console.print(limits_table([floor_of(task, peaks)], peaks))
    except TaskError as error:
        console.print(f"limits: unknown; {error}")
