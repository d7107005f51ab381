"""Sweep: own first, small otherwise, legal on the reference, within the level's limits."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from assay.data.axis import AxisRole
from assay.data.settings import Level
from assay.data.task import Task
from assay.data.workload import Distribution, Layout, Workload
from assay.tasks.catalog import tasks_of
from assay.tasks.points import LARGE_ELEMENTS, SMALL_ELEMENTS
from assay.tasks.reference import Reference
from assay.tasks.sweep import sweep
from tasks import task_sources as sources

BODIES = {
    name: getattr(sources, name)
    for name in "BATCHNORM EMBEDDING TUPLE_OUTPUT LITERALS HEADS DERIVED TRIANGULAR".split()
}


STRETCHED = 1 << 14


def swept(task: Task, level: Level = Level.QUICK) -> tuple[Reference, tuple[Workload, ...]]:
    reference = Reference(task)
    return reference, sweep(reference, level, random.Random(11))


def largest(reference: Reference, workload: Workload) -> int:
    return max(math.prod(shape) for shape in reference.input_shapes(workload.axes) if shape)


@pytest.mark.parametrize("task", tasks_of("native"), ids=lambda task: task.id)
def test_native_sweeps(task: Task) -> None:
    reference, workloads = swept(task)
    assert workloads[0].own and not any(workload.own for workload in workloads[1:])
    assert 9 <= len(workloads) <= 18
    stretched = [w for w in workloads if max(w.axes.values()) > STRETCHED]
    others = [w for w in workloads[1:] if w not in stretched]
    assert all(largest(reference, workload) <= SMALL_ELEMENTS for workload in others)
    assert all(largest(reference, workload) <= LARGE_ELEMENTS for workload in stretched)
    assert len(stretched) <= 3
    assert len({reference.config(workload.axes) for workload in workloads}) <= 5
    batch = next(axis.name for axis in reference.axes if axis.role is AxisRole.BATCH)
    assert 1 in {workload.axes[batch] for workload in workloads}
    assert any(workload.layout is not Layout.CONTIGUOUS for workload in workloads)
    assert any(workload.distribution is Distribution.NAN for workload in workloads)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_foreign_sweeps_are_legal(body: str) -> None:
    reference, workloads = swept(sources.task(body))
    assert workloads[0].own and len(workloads) >= 6
    for workload in workloads:
        assert reference.admits(workload, reference.draw(workload, 99))


def test_levels_grow() -> None:
    task = tasks_of("native")[-1]
    counts = [len(swept(task, level)[1]) for level in (Level.QUICK, Level.STANDARD, Level.FULL)]
    assert counts[0] <= 18 < counts[1] <= 28 < counts[2] <= 48
    reference, workloads = swept(task, Level.FULL)
    assert all(largest(reference, workload) <= LARGE_ELEMENTS for workload in workloads[1:])


def test_an_empty_batch_is_asked_where_the_reference_accepts_it() -> None:
    by_name: dict[str, Task] = {task.id: task for task in tasks_of("native")}
    empty: Callable[[str], bool] = lambda name: any(  # noqa: E731
        0 in workload.axes.values() for workload in swept(by_name[name])[1]
    )
    assert empty("softmax") and not empty("cross_entropy")


def test_a_domain_is_respected() -> None:
    _, workloads = swept(sources.task(sources.NO_BATCH_LOG), Level.FULL)
    assert Distribution.NEGATIVE not in {workload.distribution for workload in workloads}
    assert Distribution.OUTLIER in {workload.distribution for workload in workloads}


def test_the_random_numbers_decide() -> None:
    task = tasks_of("native")[0]
    one, two = swept(task)[1], swept(task)[1]
    assert one == two
    assert one != sweep(Reference(task), Level.QUICK, random.Random(12))


def test_every_size_is_stretched_at_full() -> None:
    softmax = next(task for task in tasks_of("native") if task.id == "softmax")
    workloads = swept(softmax, Level.FULL)[1]
    for name in ("rows", "cols"):
        assert max(workload.axes[name] for workload in workloads) > 1 << 15


def test_masks_are_closed_and_labels_left_out_where_the_task_names_them() -> None:
    reference, workloads = swept(sources.task(sources.MASKED_LOSS))
    (marked,) = [w for w in workloads if w.distribution is Distribution.MARKED]
    _, labels, mask = reference.draw(marked, 5)
    assert (labels == 7).any() and (labels != 7).any()
    assert set(mask.unique().tolist()) == {0.0, 1.0}
    own = reference.draw(workloads[0], 5)
    assert not (own[1] == 7).any() and (own[2] == 1).all()
