"""`assay limits`: bytes, arithmetic and the least time, traced without computing."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from assay.app.axis_sizes import axes_at
from assay.app.flags import LimitsFlags
from assay.app.suite.asked_tasks import asked_tasks
from assay.app.suite.tasks_command import is_suite
from assay.data.limits import Peaks, TaskLimits
from assay.data.task import Task
from assay.devices.peaks import board
from assay.errors import TaskError, UsageError
from assay.limits.task_floor import floor_of
from assay.report.console import progress_console, result_console
from assay.report.hardware.limits_text import limits_table
from assay.tasks.references.reference import Reference


def run(flags: LimitsFlags) -> int:
    """One task, or every task of a suite; 1 where some task could not be traced."""
    peaks, found, failed = board(flags.board), [], 0
    suite = is_suite(flags.task)
    if suite and flags.at:
        raise UsageError("--at is for one task: its axes are its own")
    for task in asked_tasks(flags.task):
        try:
            found.append(limits(task, peaks, not flags.no_tf32, flags.at or []))
        except TaskError as error:
            failed += 1
            progress_console().print(str(error))
            continue
        if flags.json:
            shown = found[-1].model_dump() | {"sol_us": found[-1].sol_us, "bound": found[-1].bound}
            sys.stdout.write(json.dumps(shown) + "\n")
            sys.stdout.flush()
    if found and not flags.json:
        result_console().print(limits_table(found, peaks))
    return 1 if failed else 0


def limits(task: Task, peaks: Peaks, allow_tf32: bool = True, at: Sequence[str] = ()) -> TaskLimits:
    """The floor of one task, at its own sizes but for those in `at` (NAME=SIZE)."""
    if not at:
        return floor_of(task, peaks, allow_tf32)
    reference = Reference(task)
    axes = reference.own_axes | axes_at(at, reference.own_axes)
    return floor_of(task, peaks, allow_tf32, axes, reference.sizes(axes))
