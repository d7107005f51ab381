"""Floor: the least time of one task on one board, traced without computing.

The rule: the task's own code runs where tensors have no values; a task that cannot be traced is a
TaskError, never a guess.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from assay.data.limits import Peaks, TaskLimits
from assay.data.observations.observation import LimitsSeen
from assay.data.task import Task
from assay.devices.device_adapter import DeviceBackend
from assay.errors import TaskError
from assay.limits.roofline import roof
from assay.limits.work import Work
from assay.limits.work_trace import WorkTrace
from assay.tasks.references.valueless import Unvalued


def floor_of(
    task: Task,
    peaks: Peaks,
    allow_tf32: bool = True,
    axes: Mapping[str, int] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> TaskLimits:
    """The floor at the task's own sizes, unless others are given with the axes they stand for."""
    work = traced(task, sizes or {})
    over = roof(work, peaks, allow_tf32)
    return TaskLimits(
        task=task.id,
        axes=dict(axes) if axes is not None else {axis.name: axis.own for axis in task.axes},
        board=peaks.name,
        bytes_read=work.bytes_read,
        bytes_written=work.bytes_written,
        bytes_kept=work.bytes_kept,
        flops=dict(work.flops),
        elementwise=work.elementwise,
        units=over.units,
        memory_us=over.memory_us,
        arithmetic_us=over.arithmetic_us,
    )


def floor_on(
    device: DeviceBackend,
    task: Task,
    allow_tf32: bool,
    axes: Mapping[str, int] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> LimitsSeen:
    """The floor on the device's own board; the reason where the board or the work is unknown."""
    peaks = device.peaks()
    if peaks is None:
        return LimitsSeen(reason=f"no vendor peaks are known for {device.describe().name}")
    try:
        found = floor_of(task, peaks, allow_tf32, axes, sizes)
        return LimitsSeen(limits=found, peaks=peaks)
    except TaskError as error:
        return LimitsSeen(reason=f"its work could not be traced: {error}")
    except Exception as error:  # a floor that we cannot find costs no verdict and no profile
        logging.getLogger(__name__).exception("tracing the work of %s", task.id)
        return LimitsSeen(reason=f"its work could not be traced: {error}")


def traced(task: Task, sizes: Mapping[str, int]) -> Work:
    """The work of one call of the reference."""
    trace = WorkTrace()
    with trace.watching():
        made = Unvalued.made(task, sizes)
        trace.external(made.given, made.kept)
        return trace.finish(made.call())
