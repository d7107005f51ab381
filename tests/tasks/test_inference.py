"""Inference: the right axes, roles and steps; nothing that is not a size."""

from __future__ import annotations

import time

from assay.data.axis import AxisRole
from assay.tasks.reference import Reference
from tasks import task_sources as sources

BATCH, SIZE, CONFIG = AxisRole.BATCH, AxisRole.SIZE, AxisRole.CONFIG


def roles(body: str) -> dict[str, AxisRole]:
    return {axis.name: axis.role for axis in Reference(sources.task(body)).axes}


def test_named_sizes_and_derived_ones() -> None:
    assert roles(sources.DERIVED) == {
        "batch_size": BATCH,
        "height": SIZE,
        "width": SIZE,
        "in_channels": CONFIG,
        "out_channels": CONFIG,
    }
    reference = Reference(sources.task(sources.DERIVED))
    assert reference.init_args({"out_channels": 5}) == (8, 5, 3, (5, 1, 1))
    assert min(a.low for a in reference.axes if a.name == "height") == 3


def test_kernel_size_and_head_count_are_not_axes() -> None:
    assert "kernel_size" not in roles(sources.DERIVED)
    assert "n_head" not in roles(sources.HEADS)


def test_coupled_axes_keep_their_step() -> None:
    axes = {axis.name: axis for axis in Reference(sources.task(sources.HEADS)).axes}
    assert axes["n_embd"].multiple_of == 12 and axes["n_embd"].low == 12
    assert axes["batch_size"].role is BATCH and axes["seq_len"].role is SIZE


def test_literal_sizes_are_found_and_tied_across_inputs_and_constructor() -> None:
    reference = Reference(sources.task(sources.LITERALS))
    assert {(axis.own, axis.role) for axis in reference.axes} == {
        (16, BATCH),
        (48, CONFIG),
        (20, CONFIG),
    }
    batch = next(axis.name for axis in reference.axes if axis.role is BATCH)
    assert reference.input_shapes({batch: 3}) == ((3, 48), (3, 20))


def test_equal_sizes_that_must_move_together_do() -> None:
    reference = Reference(sources.task(sources.RESIDUAL))
    assert {axis.name for axis in reference.axes} == {"rows", "features"}
    assert reference.init_args({"features": 7}) == (7, 7)


def test_integer_inputs_keep_to_the_range_of_the_table() -> None:
    assert roles(sources.EMBEDDING) == {
        "batch": BATCH,
        "length": SIZE,
        "vocab": CONFIG,
        "width": CONFIG,
    }


def test_a_huge_task_is_never_materialised() -> None:
    began = time.perf_counter()
    reference = Reference(sources.task(sources.HUGE))
    assert [axis.name for axis in reference.axes] == ["batch", "dim"]
    assert time.perf_counter() - began < 10  # 100 GB would take longer, if it fitted


def test_scalars_among_inputs_are_left_alone() -> None:
    reference = Reference(sources.task(sources.TUPLE_OUTPUT))
    assert set(reference.own_axes) == {"rows", "cols"}
    assert reference.draw(reference.own_workload(), 0)[1] == 3
