"""Large runs are foreseen from small ones."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import pytest

from assay.data.axis import Axis, AxisRole
from assay.errors import TaskError
from assay.tasks.catalog import resolve
from assay.tasks.references.reference import Reference
from assay.tasks.shapes.result_growth import ResultGrowth, Run, learn_growth

AXES = tuple(
    Axis(name=name, own=64, low=1, high=1024, role=AxisRole.SIZE) for name in ("rows", "cols")
)
BASE = {"rows": 16, "cols": 32}


def learned(run: Run) -> ResultGrowth:
    found = learn_growth(run, BASE, AXES)
    assert found is not None
    return found


def test_products_of_sizes_are_foreseen_exactly() -> None:
    growth = learned(lambda at: [at["rows"] * at["cols"], at["rows"] ** 2, 7])
    assert growth.elements_at({"rows": 65537, "cols": 3}) == [65537 * 3, 65537**2, 7]


def test_a_window_takes_nothing_away_and_a_sum_grows_with_each() -> None:
    growth = learned(lambda at: [at["rows"] - 2, at["rows"] + at["cols"]])
    powers = {name: growth.powers[name] for name in BASE}
    assert powers == {"rows": [1, 1], "cols": [0, 1]}


def test_nothing_is_known_where_other_tensors_are_made() -> None:
    assert learn_growth(lambda at: [1] * at["rows"], BASE, AXES) is None


def test_nothing_is_known_where_it_does_not_run() -> None:
    def run(at: Mapping[str, int]) -> list[int]:
        raise TaskError(f"not at {at}")

    assert learn_growth(run, BASE, AXES) is None


@pytest.mark.parametrize("task", ["attention", "attention.backward", "conv2d", "linear_relu"])
def test_inputs_and_scores_of_real_tasks(task: str) -> None:
    reference = Reference(resolve(task))
    axes = {**reference.own_axes, reference.axes[0].name: 5}
    shapes = [shape for shape in reference.input_shapes(axes) if shape is not None]
    assert reference.input_elements(axes) == [prod(shape) for shape in shapes]


def test_the_scores_of_a_long_sequence_are_foreseen() -> None:
    reference = Reference(resolve("attention.backward"))
    long = {"batch": 1, "heads": 1, "length": 65537, "head_dim": 4}
    workload = reference.own_workload().model_copy(update={"axes": long})
    assert reference.largest_result(workload, ()) >= 65537**2
