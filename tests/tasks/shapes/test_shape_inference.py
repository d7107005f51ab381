"""Inference: the right axes, roles and steps; nothing that is not a size."""

from __future__ import annotations

import random
import time

from assay.data.axis import AxisRole
from assay.data.settings import Level
from assay.exam.workloads.timed_shapes import timed_shapes
from assay.exam.workloads.workload_sweep import sweep
from assay.tasks.references.reference import Reference
from support import task_sources as sources

WAITS = "        __import__('time').sleep(0.1)"
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
    assert reference.init_call({"out_channels": 5}).args == (8, 5, 3, (5, 1, 1))
    assert min(a.low for a in reference.axes if a.name == "height") == 3


def test_kernel_size_and_head_count_are_not_axes() -> None:
    assert "kernel_size" not in roles(sources.DERIVED)
    assert "n_head" not in roles(sources.HEADS)


def test_the_length_of_a_dimension_is_an_axis_and_its_number_is_not() -> None:
    assert roles(sources.NAMED_DIM) == {"batch": BATCH, "dim": CONFIG}


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
    assert reference.init_call({"features": 7}).args == (7, 7)


def test_integer_inputs_keep_to_the_range_of_the_table() -> None:
    assert roles(sources.EMBEDDING) == {
        "batch": BATCH,
        "length": SIZE,
        "vocab": CONFIG,
        "width": CONFIG,
    }


def test_a_huge_task_is_never_materialised() -> None:
    began_s = time.process_time()
    reference = Reference(sources.task(sources.HUGE))
    assert [axis.name for axis in reference.axes] == ["batch", "dim"]
    assert time.process_time() - began_s < 10  # 100 GB would take longer, if it fitted


def test_scalars_among_inputs_are_left_alone() -> None:
    reference = Reference(sources.task(sources.TUPLE_OUTPUT))
    assert set(reference.own_axes) == {"rows", "cols"}
    assert reference.draw(reference.own_workload(), 0)[1] == 3


def test_sides_of_a_square_move_together_and_apart() -> None:
    reference = Reference(sources.task(sources.SQUARE_IMAGES))
    assert roles(sources.SQUARE_IMAGES)["size'"] is SIZE
    assert reference.input_shapes({"size": 9, "size'": 24})[0] == (4, 8, 9, 24)
    assert reference.input_shapes({"size": 24, "size'": 7})[0] == (4, 8, 24, 7)
    assert reference.input_shapes({"size": 9})[0] == (4, 8, 9, 9)


def test_sides_that_the_signature_holds_together_stay_together() -> None:
    axes = {axis.name for axis in Reference(sources.task(sources.SQUARE_MATRICES)).axes}
    assert axes == {"N"}


def test_floats_of_the_constructor_vary_and_geometry_does_not() -> None:
    found = roles(sources.SQUARE_IMAGES)
    assert found["negative_slope_variant"] is AxisRole.CONSTANT and "kernel_size" not in found
    reference = Reference(sources.task(sources.SQUARE_IMAGES))
    slopes = [
        reference.init_call({"negative_slope_variant": number}).args[-1] for number in (0, 1, 2)
    ]
    assert slopes == [0.1, 0.05, 0.1 * 1.5]
    assert reference.config(
        {**reference.own_axes, "negative_slope_variant": 1}
    ) != reference.config(reference.own_axes)


def test_divisibility_is_kept_and_a_literal_epsilon_is_found() -> None:
    axes = {axis.name: axis for axis in Reference(sources.task(sources.GROUPED)).axes}
    assert axes["channels"].multiple_of == 6 and "groups" not in axes
    (constant,) = [name for name, axis in axes.items() if axis.role is AxisRole.CONSTANT]
    assert Reference(sources.task(sources.GROUPED)).init_call({constant: 1}).args[-1] == 5e-4


def test_waiting_for_a_core_costs_no_axes() -> None:
    """On a busy machine a trial takes long by the wall clock; that is not the reference's time."""
    slow = sources.DERIVED.replace("def forward(self, x):", f"def forward(self, x):\n{WAITS}")
    assert slow != sources.DERIVED
    assert roles(slow) == roles(sources.DERIVED)


def test_equal_literals_of_two_inputs_move_together_where_the_reference_bears_them_apart() -> None:
    reference = Reference(sources.task(sources.LOOP_OVER_TWO))
    for axis in reference.axes:
        own = {a.name: a.own for a in reference.axes} | {axis.name: axis.own + 1}
        found = reference.footprint(own)
        assert found is not None and found.inputs[0] == found.inputs[1]
    assert len(reference.axes) == 3
    apart = sources.LOOP_OVER_TWO.replace("torch.rand(2, 7, 12)", "torch.rand(2, 9, 12)")
    names = {axis.name for axis in Reference(sources.task(apart)).axes}
    assert {"dim:0.1", "dim:1.1"} <= names  # other own sizes: the reference means them apart


def test_what_the_constructor_is_given_is_called_as_its_parameter() -> None:
    body = """
class Model(nn.Module):
    def __init__(self, features, slope):
        super().__init__()
        self.fc = nn.Linear(64, features)
        self.slope = slope
    def forward(self, x):
        return F.leaky_relu(self.fc(x), self.slope)
def get_inputs():
    return [torch.randn(16, 64)]
def get_init_inputs():
    return [96, 0.1]
"""
    found = roles(body)
    assert found["features"] is CONFIG
    assert found["slope_variant"] is AxisRole.CONSTANT
    assert not any(name.startswith("init:") for name in found)


POWERS = """
class Model(nn.Module):
    def __init__(self, end, steps):
        super().__init__()
        self.end, self.steps = end, steps
    def forward(self):
        return torch.logspace(0.0, self.end, STEPS)
steps = 4096
def get_inputs():
    return []
def get_init_inputs():
    return [10.0, steps]
"""


def test_of_a_task_without_tensors_the_size_is_what_moves_an_output() -> None:
    found = roles(POWERS.replace("STEPS", "self.steps"))
    assert found == {"steps": CONFIG, "end_variant": AxisRole.CONSTANT}


def test_a_task_in_which_nothing_but_floats_moves_is_swept() -> None:
    reference = Reference(sources.task(POWERS.replace("STEPS", "4000")))
    assert [axis.role for axis in reference.axes] == [AxisRole.CONSTANT]
    for level in (Level.SMOKE, Level.QUICK, Level.FULL):
        workloads = sweep(reference, level, random.Random(1))
        assert len({w.axes["end_variant"] for w in workloads}) > 1
    assert not list(timed_shapes(reference, random.Random(1)))  # of no size there is another
