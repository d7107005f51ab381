"""What stays right beside a planted NaN."""

from __future__ import annotations

import pytest
import torch

from assay.measure.expectation import Planted, compare
from measure.references import expected

# One rounding away from the kink in row 1; row 0 holds the planted element.
X = torch.tensor([[0.5, 3.0], [1.0, 1.0], [2.0, 1.0]])
W = torch.tensor([1.0, -(1.0 - 2.0**-24)])
GRADIENT = torch.tensor([0.25, 1.0, 4.0])


def gated(x: torch.Tensor, w: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
    """The gradient of a bias under a relu: a sum over the rows that are open."""
    open_rows = ~(x @ w <= 0)  # as torch has it: NaN is open
    return (gradient * open_rows).sum().reshape(1)


@pytest.mark.parametrize("planted", [None, Planted(0, 0)])
@pytest.mark.parametrize("kink_is_open", [False, True])
def test_a_mask_beside_its_kink_goes_either_way(
    planted: Planted | None, kink_is_open: bool
) -> None:
    x = X.clone()
    if planted is not None:
        x[0, 0] = torch.nan
    wanted = expected(gated, x, W, GRADIENT, planted=planted)
    first = GRADIENT[0] if planted is not None else 0.0
    right = first + GRADIENT[2] + (GRADIENT[1] if kink_is_open else 0.0)
    assert compare(wanted, right.reshape(1).float()).ok
    assert not compare(wanted, (right + 2.0).reshape(1).float()).ok


def test_what_must_be_nan_is_not_relieved() -> None:
    x = X.clone()
    x[0, 0] = torch.nan

    def leaky(x: torch.Tensor, w: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
        return gated(x, w, gradient) + x.sum()

    wanted = expected(leaky, x, W, GRADIENT, planted=Planted(0, 0))
    assert compare(wanted, torch.tensor([torch.nan])).ok
    finite = torch.nan_to_num(x).sum() + GRADIENT[2]
    assert not compare(wanted, finite.reshape(1)).ok


def test_a_code_that_only_the_planted_value_moves_is_free() -> None:
    """Behind a clamp no finite value moves it, and the reference turns NaN into some integer."""

    def codes(x: torch.Tensor) -> torch.Tensor:
        return (x.abs() + 2.0).clamp(-1.0, 1.0).to(torch.int64)

    x = torch.tensor([0.5, torch.nan, 2.0])
    wanted = expected(codes, x, planted=Planted(0, 1))
    assert compare(wanted, codes(x)).ok
    assert not compare(wanted, torch.tensor([0, 1, 1])).ok
