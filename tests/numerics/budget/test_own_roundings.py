"""No budget is finer than the truth: what cancels in float64 as well."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch

from assay.numerics.budget.own_roundings import OwnRoundings, collapsed, lost
from assay.numerics.expectation import compare
from support.references import expected, normal

Function = Callable[[torch.Tensor], torch.Tensor]


def gelu(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x * (1.0 + torch.erf(x / math.sqrt(2.0)))


def gelu_exactly(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x.double() * torch.special.erfc(-x.double() / math.sqrt(2.0))


def softplus(x: torch.Tensor) -> torch.Tensor:
    return torch.log(1.0 + torch.exp(x))


def softplus_exactly(x: torch.Tensor) -> torch.Tensor:
    return torch.log1p(torch.exp(x.double()))


CANCELLING = [
    pytest.param(gelu, gelu_exactly, -9.75, id="gelu"),
    pytest.param(torch.nn.functional.gelu, gelu_exactly, -9.75, id="one operator"),
    pytest.param(gelu, gelu_exactly, -8.0, id="some digits"),
    pytest.param(softplus, softplus_exactly, -40.0, id="softplus"),
]


def used(function: Function, given: torch.Tensor, actual: torch.Tensor) -> float:
    share = compare(expected(function, given), actual.float()).budget_used
    return math.inf if share is None else share


@pytest.mark.parametrize(("function", "exactly", "x"), CANCELLING)
def test_the_digits_that_float64_loses_may_be_there(
    function: Function, exactly: Function, x: float
) -> None:
    given = torch.full((1, 1), x)
    assert exactly(given).item() != 0.0
    assert used(function, given, exactly(given)) < 0.5
    assert used(function, given, function(given)) < 0.5


@pytest.mark.parametrize(("function", "exactly", "x"), CANCELLING)
def test_noise_of_float32_may_not(function: Function, exactly: Function, x: float) -> None:
    given = torch.full((1, 1), x)
    assert used(function, given, torch.full((1, 1), 1e-9)) > 2.0


def test_a_truth_of_the_inputs_size_is_taken_as_it_is() -> None:
    given = normal(8, 8)
    assert not collapsed([gelu(given)], [given])
    assert not collapsed([given.sum(0)], [given, None, 3])
    assert collapsed([gelu(torch.full((2,), -9.0))], [torch.full((2,), -9.0)])
    assert not collapsed([torch.zeros(0), torch.zeros(2, dtype=torch.int64)], [given])


def counted(x: torch.Tensor) -> torch.Tensor:
    """How many numbers are doubled the same way twice: all, before anything is rounded."""
    return (x * 2.0 == x + x).to(x.dtype).mean(-1, keepdim=True) * 2.0**-12


def test_a_comparison_that_went_the_other_way_is_no_rounding() -> None:
    given = normal(4, 64).abs() + 1.0
    right = counted(given.double()).float()
    assert collapsed([right], [given])
    assert used(counted, given, right) < 0.5
    assert used(counted, given, 2.0**-12 - right) > 2.0


def test_what_is_counted_loses_nothing() -> None:
    binary_draws, no = torch.tensor([True]), torch.tensor([False])
    assert lost(binary_draws, no, [torch.ones(1)]).item() == 0.0


def test_a_copy_rounds_nothing() -> None:
    given = normal(64).double()
    with OwnRoundings(3):
        assert torch.equal(given.clone(), given) and torch.equal(given.to(given.dtype), given)
        assert torch.equal(torch.empty_like(given).copy_(given), given)
        assert not torch.equal(given * 1.0, given)
