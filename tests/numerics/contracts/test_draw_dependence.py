"""Dependence: draws of which any two are independent, and three or four are not."""

from __future__ import annotations

from math import log

import pytest
import torch

from assay.numerics.contracts.draw_dependence import dependent

_LIMIT = log(2.0 * 2.0**44)
_ROWS, _COLS = 64, 512


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(11)


def _uniform(generator: torch.Generator, *shape: int) -> torch.Tensor:
    return torch.rand(shape, generator=generator, dtype=torch.float64)


def test_one_number_a_row_and_one_a_column_hang_together_by_fours(
    generator: torch.Generator,
) -> None:
    places = (_uniform(generator, _ROWS, 1) + _uniform(generator, 1, _COLS)) % 1.0
    kept = (places.reshape(-1) >= 0.3).double() - 0.7
    share, many, apart = dependent(kept, 0.24, 1, _LIMIT)
    assert share > 3.0 and many == 4 and apart % _COLS == 0


def test_every_third_number_that_is_the_sum_of_two_hangs_together_with_them(
    generator: torch.Generator,
) -> None:
    places = _uniform(generator, 3 * 8192)
    places[2::3] = (places[::3] + places[1::3]) % 1.0
    view = 2.0 * (2.0 * places - 1.0).abs() - 1.0
    share, many, _ = dependent(view, 1.0 / 3.0, 1, _LIMIT)
    assert share > 3.0 and many == 3


@pytest.mark.parametrize("step", [1, 333, 14000])
def test_independent_draws_do_not(generator: torch.Generator, step: int) -> None:
    even = 2.0 * _uniform(generator, 1 << 14) - 1.0
    kept = (_uniform(generator, 1 << 14) >= 0.3).double() - 0.7
    assert dependent(even, 1.0 / 3.0, step, _LIMIT)[0] < 0.5
    assert dependent(kept, 0.24, step, _LIMIT)[0] < 0.5


def test_of_few_draws_nothing_is_said(generator: torch.Generator) -> None:
    assert dependent(_uniform(generator, 100), 1.0 / 3.0, 1, _LIMIT) == (0.0, 0, 0)
