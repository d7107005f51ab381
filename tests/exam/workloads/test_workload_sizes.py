"""Which of the planned workloads are asked where cheap calls are needed."""

from __future__ import annotations

from assay.data.settings import Level
from assay.data.workload import Layout, Workload
from assay.exam.workloads.workload_sizes import small_with_rows, small_workloads
from support.small_exam import STATELESS, make_exam


def _workload(rows: int, cols: int, layout: Layout = Layout.CONTIGUOUS) -> Workload:
    return Workload(axes={"rows": rows, "cols": cols}, dtype="float32", layout=layout)


def test_rows_are_found_though_the_cheapest_workloads_have_one_each() -> None:
    """Else no relation between rows would be demanded of anybody in such a run."""
    shapes = ((16, 32), (1, 4095), (1, 4096), (1, 4097), (5, 32), (1, 31))
    exam = make_exam(Level.QUICK, STATELESS, tuple(_workload(*shape) for shape in shapes))
    assert {exam.plan.workloads[w].axes["rows"] for w in small_workloads(exam)} == {1}
    assert small_with_rows(exam, set()) == 4
    assert small_with_rows(exam, {4}) == 2


def test_rows_that_differ_are_preferred_to_one_that_is_repeated() -> None:
    shapes = (_workload(16, 32), _workload(4, 1024, Layout.EXPANDED), _workload(5, 32))
    exam = make_exam(Level.QUICK, STATELESS, shapes)
    assert small_with_rows(exam, set()) == 2 and small_with_rows(exam, {2}) == 1
