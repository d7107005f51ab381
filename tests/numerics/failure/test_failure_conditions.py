"""What sets failing workloads apart."""

from __future__ import annotations

from assay.data.workload import Distribution, Layout, Workload
from assay.numerics.failure.failure_conditions import failure_conditions


def at(cols: int, rows: int = 4, **more: object) -> Workload:
    return Workload.model_validate(
        {"axes": {"rows": rows, "cols": cols}, "dtype": "float32", **more}
    )


def test_sizes_off_the_tile() -> None:
    found = failure_conditions([at(17), at(129)], [at(64), at(192), at(1024)])
    assert found == ("only where cols is no multiple of 64; right where it is",)


def test_large_and_small_sizes() -> None:
    large = failure_conditions([at(65537), at(70000)], [at(17), at(4096)])
    assert large == ("only where cols is 65537 or more; right up to 4096",)
    small = failure_conditions([at(8, rows=1)], [at(8, rows=3), at(9, rows=7)])
    assert "only where rows is 1 or less; right from 3" in small


def test_layouts_and_values() -> None:
    strided = at(8, layout=Layout.STRIDED)
    assert failure_conditions([strided], [at(8)]) == ("only with layout strided",)
    large = at(8, distribution=Distribution.LARGE)
    assert failure_conditions([large], [at(8)]) == ("only with values large",)


def test_nothing_is_said_where_nothing_holds() -> None:
    assert failure_conditions([at(8)], []) == ()
    assert failure_conditions([at(8), at(16)], [at(8), at(12)]) == ()
    assert failure_conditions([at(8)], [at(16)]) == (), "one size that passed bounds nothing"
    assert failure_conditions([at(8)], [at(8, layout=Layout.STRIDED)]) == (), "that is no excuse"
