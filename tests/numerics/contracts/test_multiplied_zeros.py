"""A planted NaN may come out where a kernel multiplies it by a zero, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional as F

from assay.numerics.contracts.multiplied_zeros import (
    ZeroWatch,
    has_zero_codes,
    without_zero_codes,
)
from assay.numerics.expectation import PlantedElement, compare
from support.references import expected, normal

NAN = torch.nan


def padded(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return F.conv2d(x, weight, padding=1)


def spread(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return F.conv_transpose2d(x, weight.transpose(0, 1), stride=2, padding=1)


def grouped(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return F.conv2d(x, weight[:, :1], padding=1, groups=2)


@pytest.mark.parametrize("convolve", [padded, spread, grouped])
def test_a_weight_of_nan_may_reach_the_border_of_its_channel_alone(
    convolve: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> None:
    x, weight = normal(2, 2, 5, 5), normal(4, 2, 3, 3, seed=1)
    weight[2, 0, 0, 0] = NAN
    wanted = expected(convolve, x, weight, planted=PlantedElement(1, 2 * 18))
    right = convolve(x, weight)
    assert compare(wanted, right).ok
    by_zeros = right.clone()
    by_zeros[:, 2] = NAN
    assert compare(wanted, by_zeros).ok
    finite = convolve(x, weight.nan_to_num())
    assert not compare(wanted, finite).ok
    elsewhere = right.clone()
    elsewhere[0, 1, 2, 2] = NAN
    assert not compare(wanted, elsewhere).ok


def test_an_input_of_nan_reaches_its_neighbours_alone() -> None:
    x, weight = normal(1, 2, 6, 6), normal(4, 2, 3, 3, seed=1)
    x[0, 0, 0, 0] = NAN
    wanted = expected(padded, x, weight, planted=PlantedElement(0, 0))
    right = padded(x, weight)
    assert compare(wanted, right).ok
    right[0, 0, 3, 3] = NAN
    assert not compare(wanted, right).ok


def test_a_border_is_multiplied_in_gradients_too() -> None:
    x, weight = normal(1, 2, 5, 5).requires_grad_(), normal(3, 2, 3, 3, seed=1).requires_grad_()
    for fill in (False, True):
        with ZeroWatch(fill) as watch:
            made = padded(x, weight)
            found = torch.autograd.grad(made, (x, weight), torch.ones_like(made))
        assert watch.seen and [g.shape for g in found] == [x.shape, weight.shape]
    with ZeroWatch() as watch:
        F.conv2d(x, weight)
    assert not watch.seen


def test_a_row_whose_scale_is_nan_may_be_nan_at_codes_of_zero() -> None:
    def quantised(x: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
        largest = x.abs().amax(-1, keepdim=True)
        scale = torch.where(largest > 0, largest / 127, 1.0)
        sums = torch.round(x / scale).to(torch.int32) @ codes.to(torch.int32).T
        return sums.to(x.dtype) * scale

    x, codes = normal(4, 16), torch.ones(3, 16, dtype=torch.int8)
    codes[1] = 0
    x[2, 5] = NAN
    wanted = expected(quantised, x, codes, planted=PlantedElement(0, 2 * 16 + 5))
    right = quantised(x, codes)
    assert compare(wanted, right).ok
    right[2] = NAN
    assert compare(wanted, right).ok
    right[1, 1] = NAN
    assert not compare(wanted, right).ok


def test_codes_of_eight_bits_alone_are_filled() -> None:
    codes, places = torch.tensor([0, 3], dtype=torch.int8), torch.tensor([0, 3])
    assert has_zero_codes(places, codes, 0.0) and not has_zero_codes(places, 0)
    assert without_zero_codes(codes).tolist() == [1, 3]
    assert without_zero_codes(places) is places
