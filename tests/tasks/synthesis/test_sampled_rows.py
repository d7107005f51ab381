"""What a chain is tried on: moderate values that differ, or the step is refused."""

from __future__ import annotations

import pytest

from assay.tasks.synthesis.chain_operators import Pointwise
from assay.tasks.synthesis.sampled_rows import COLUMNS, ROWS, SampledRows, usable


def test_rows_repeat_themselves_by_number() -> None:
    rows = SampledRows.drawn(3)
    assert rows == SampledRows.drawn(3) != SampledRows.drawn(4)
    assert len(rows.values) == ROWS * COLUMNS


@pytest.mark.parametrize(
    "rows",
    [
        [[1.0, 1.0 + 1e-6]] * 8,  # all but alike
        [[0.0, float("inf")]],
        [[0.0, 1000.0, 2000.0]],  # too large for a sum in float16
        [[0.0] * 30 + [1.0, 2.0]],  # saturated
    ],
)
def test_what_says_little_is_refused(rows: list[list[float]]) -> None:
    assert not usable(rows)


def test_a_function_outside_its_domain_is_refused() -> None:
    def root(x: float) -> float:
        if x < 0:
            raise ValueError("negative")
        return x**0.5

    assert SampledRows.drawn(0).pointwise(Pointwise("sqrt_exp", "", root)) is None
    assert SampledRows.drawn(0).pointwise(Pointwise("relu", "", lambda x: 2 * x)) is not None
