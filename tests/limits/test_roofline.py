"""Which roof binds, and at whose rate."""

from __future__ import annotations

from collections import Counter

import pytest

from assay.data.limits import Peaks
from assay.limits.roofline import roof, unit_of
from assay.limits.work import Work

PEAKS = Peaks(
    name="x",
    title="X",
    bytes_per_s=1e12,
    flops_per_s={"fp32": 1e12, "tf32": 8e12, "half": 16e12},
    clock_mhz=1000,
    clock_mhz_max=2000,
)


def test_bytes_and_products_make_two_roofs() -> None:
    work = Work(3_000_000, 1_000_000, Counter({"float32": 16_000_000, "bfloat16": 32_000_000}))
    found = roof(work, PEAKS)
    assert found.memory_us == pytest.approx(4.0)
    assert found.arithmetic_us == pytest.approx(1.0 + 1.0)  # at twice the clock
    assert found.units == {"float32": "tf32", "bfloat16": "half"}


def test_float32_without_tensor_units() -> None:
    work = Work(flops=Counter({"float32": 16_000_000}))
    assert roof(work, PEAKS, allow_tf32=False).arithmetic_us == pytest.approx(8.0)


def test_a_unit_that_a_board_lacks_is_priced_at_its_fastest() -> None:
    assert PEAKS.rate("fp8") == PEAKS.rate("half") == 32e12


@pytest.mark.parametrize(
    ("dtype", "unit"),
    [("float64", "fp64"), ("float8_e4m3fn", "fp8"), ("int32", "int8"), ("int64", "fp32")],
)
def test_units(dtype: str, unit: str) -> None:
    assert unit_of(dtype) == unit
