"""Elsewhere: shapes of nearly the own size at which a candidate is sampled too.

The rule: drawn in secret, with odd axes. Who computes the own shape and leaves others to a library
is caught there; and between them every axis that may change differs from the own shape once.
"""

from __future__ import annotations

import random
from collections.abc import Collection

from assay.data.axis import Axis, AxisRole
from assay.data.workload import Layout, Workload
from assay.errors import TaskError
from assay.exam.exam import Exam
from assay.sandbox.host.call_content import Content

_AXIS_CHANGES = 0.8  # chance that an axis does there
_LAYOUT_CHANGES = 0.25
_LAYOUTS = {Layout.TRANSPOSED, Layout.STRIDED, Layout.OFFSET, Layout.SLICED, Layout.CHANNELS_LAST}


def elsewhere_workloads(
    exam: Exam, answered: Collection[int], rng: random.Random
) -> list[Workload]:
    """One in which most axes differ from the own shape; where some do not, one in which they do."""
    own, free = exam.plan.workloads[0].axes, _free_axes(exam)
    first = _elsewhere_workload(exam, answered, rng, frozenset())
    kept = frozenset(a.name for a in free if first.axes[a.name] == own[a.name])
    return [first, _elsewhere_workload(exam, answered, rng, kept)] if kept else [first]


def _free_axes(exam: Exam) -> list[Axis]:
    own = exam.plan.workloads[0].axes
    free = (AxisRole.BATCH, AxisRole.SIZE)
    return [a for a in exam.reference.axes if a.role in free and a.name in own]


def _elsewhere_workload(
    exam: Exam, answered: Collection[int], rng: random.Random, certain: frozenset[str]
) -> Workload:
    """Most axes odd and down to half of their own length; now and then in a layout it answered."""
    own, axes = exam.plan.workloads[0], dict(exam.plan.workloads[0].axes)
    for axis in _free_axes(exam):
        if rng.random() < _AXIS_CHANGES or axis.name in certain:
            units = rng.randint(axes[axis.name] // 2, axes[axis.name]) // axis.multiple_of
            length = axis.multiple_of * (units - (units + 1) % 2)
            axes[axis.name] = max(axis.low, axis.multiple_of, length)
    known = {exam.plan.workloads[number].layout for number in answered}
    layouts = sorted(known & _LAYOUTS - {own.layout})
    strided = layouts and rng.random() < _LAYOUT_CHANGES
    layout = rng.choice(layouts) if strided else own.layout
    return own.model_copy(update={"axes": axes, "layout": layout, "own": False})


def elsewhere_content(exam: Exam, workload: Workload) -> Content | None:
    """Drawn for it; None where it is the own shape, or no shape of the task."""
    own = exam.plan.workloads[0]
    if (workload.axes, workload.layout) == (own.axes, own.layout):
        return None
    try:
        with exam.turn:
            content = Content(exam.reference.draw(workload, exam.secret.seed("elsewhere content")))
            exam.bound(0)(content.inputs, exam.state(0), wide=False)
    except (TaskError, RuntimeError, ValueError, IndexError):  # axes that hang together
        return None
    return content
