from __future__ import annotations

import pytest

from assay.workbench.models.node_groups import operation_groups
from assay.workbench.models.operation_times import (
    UNATTRIBUTED,
    device_times,
    host_times,
    without_profiler,
)
from workbench.models.synthetic_profiles import FORM, OTHER, kernel, node, operation


def test_device_rows_are_not_counted_twice() -> None:
    """A host row and the device row of its kernel carry the same time: one of them counts."""
    rows = [
        operation("aten::linear", 0, 9, 1),
        operation("aten::addmm", 1, 8, 2),
        kernel("nvjet_hsh_128x256_64x4", 100, 170, launched_by=2),
        operation("aten::gelu", 10, 12, 3),
        kernel("vectorized_elementwise_kernel", 170, 200, launched_by=3),
    ]
    found = device_times(rows)
    assert found.busy_us == 100
    assert sum(one.exclusive_us for one in found.operations) == pytest.approx(100)
    assert [(one.operation, one.exclusive_us) for one in found.operations] == [
        ("aten::addmm", 70),
        ("aten::gelu", 30),
    ]


@pytest.mark.parametrize(
    "name", ["nvjet_hsh_256x128_64x4_2x1_v_bz_TNT", "property_kernel", "Kernel2", "rope", "mm"]
)
def test_a_kernel_belongs_to_the_operation_that_launched_it_whatever_its_name(name: str) -> None:
    rows = [operation("aten::addmm", 0, 5, 7), kernel(name, 10, 20, launched_by=7)]
    (found,) = device_times(rows).operations
    assert (found.operation, found.inputs) == ("aten::addmm", (FORM,))


def test_a_kernel_that_nobody_launched_is_said_to_be_so() -> None:
    (found,) = device_times([kernel("rope_kernel", 0, 4, launched_by=0)]).operations
    assert found.operation == UNATTRIBUTED


def test_on_a_cpu_an_operation_has_its_own_time_only() -> None:
    rows = [
        node("linear", 0, 100),
        operation("aten::linear", 5, 95, 1),
        operation("aten::addmm", 10, 90, 2),
        operation("aten::copy_", 20, 30, 3),
        operation("aten::relu", 110, 120, 4),
    ]
    found = host_times(rows)
    assert {one.operation: one.exclusive_us for one in found.operations} == {
        "aten::linear": 10,
        "aten::addmm": 70,
        "aten::copy_": 10,
        "aten::relu": 10,
    }
    assert found.busy_us == 100
    assert [one.node for one in found.operations] == ["linear", "linear", "linear", ""]


def test_groups_are_operation_and_shapes_with_the_number_of_calls() -> None:
    rows = [
        operation("aten::addmm", 0, 1, 1),
        operation("aten::addmm", 1, 2, 2),
        operation("aten::addmm", 2, 3, 3, (OTHER,)),
        kernel("one_name_for_all", 10, 20, launched_by=1),
        kernel("one_name_for_all", 20, 30, launched_by=2),
        kernel("one_name_for_all", 30, 35, launched_by=3),
    ]
    groups = operation_groups(device_times(rows).operations, forwards=1)
    assert [(one.label, one.inputs, one.calls, one.time_us) for one in groups] == [
        ("addmm", (FORM,), 2, 20),
        ("addmm", (OTHER,), 1, 5),
    ]


def test_the_profiler_costs_every_operation_alike() -> None:
    """10 us too many in three rows: the row of 1 us has no more to lose, the others lose 4.5."""
    rows = [
        operation("aten::view", 0, 1, 1),
        operation("aten::add", 10, 20, 2),
        operation("aten::mm", 20, 120, 3),
    ]
    found, cost = without_profiler(host_times(rows), wall_us=101.0)
    assert cost == pytest.approx(4.5)
    assert [one.exclusive_us for one in found.operations] == pytest.approx([0.0, 5.5, 95.5])
    assert found.busy_us == pytest.approx(101.0)
    same, nothing = without_profiler(host_times(rows), wall_us=200.0)
    assert nothing == 0.0
    assert same == host_times(rows)


def test_a_slower_moment_of_the_machine_is_not_the_profilers() -> None:
    rows = [operation("aten::relu", 0, 100, 1), operation("aten::mm", 100, 1100, 2)]
    found, cost = without_profiler(host_times(rows), wall_us=550.0)
    assert cost == 20.0
    assert [one.exclusive_us for one in found.operations] == pytest.approx([80.0, 980.0])
    assert found.busy_us == pytest.approx(1060.0)  # whoever ranks them scales that to the wall
