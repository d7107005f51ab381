"""What stays right beside a planted NaN."""

from __future__ import annotations

import pytest
import torch

from assay.errors import TaskError
from assay.numerics.expectation import PlantedElement, compare
from support.references import expected, normal

# One rounding away from the kink in row 1; row 0 holds the planted element.
X = torch.tensor([[0.5, 3.0], [1.0, 1.0], [2.0, 1.0]])
W = torch.tensor([1.0, -(1.0 - 2.0**-24)])
GRADIENT = torch.tensor([0.25, 1.0, 4.0])


def gated(x: torch.Tensor, w: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
    """The gradient of a bias under a relu: a sum over the rows that are open."""
    open_rows = ~(x @ w <= 0)  # as torch has it: NaN is open
    return (gradient * open_rows).sum().reshape(1)


@pytest.mark.parametrize("planted", [None, PlantedElement(0, 0)])
@pytest.mark.parametrize("kink_is_open", [False, True])
def test_a_mask_beside_its_kink_goes_either_way(
    planted: PlantedElement | None, kink_is_open: bool
) -> None:
    x = X.clone()
    if planted is not None:
        x[0, 0] = torch.nan
    wanted = expected(gated, x, W, GRADIENT, planted=planted)
    first = GRADIENT[0] if planted is not None else 0.0
    right = first + GRADIENT[2] + (GRADIENT[1] if kink_is_open else 0.0)
    assert compare(wanted, right.reshape(1).float()).ok
    assert not compare(wanted, (right + 2.0).reshape(1).float()).ok


@pytest.mark.filterwarnings("error")
def test_an_input_that_records_gradients_is_read_without_a_warning() -> None:
    """`get_inputs` of a task of gradients makes such inputs."""
    x = torch.tensor([0.5, torch.nan, 2.0], requires_grad=True)
    wanted = expected(lambda v: v + 1.0, x, planted=PlantedElement(0, 1))
    assert compare(wanted, x.detach() + 1.0).ok


def test_what_must_be_nan_is_not_relieved() -> None:
    x = X.clone()
    x[0, 0] = torch.nan

    def leaky(x: torch.Tensor, w: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
        return gated(x, w, gradient) + x.sum()

    wanted = expected(leaky, x, W, GRADIENT, planted=PlantedElement(0, 0))
    assert compare(wanted, torch.tensor([torch.nan])).ok
    finite = torch.nan_to_num(x).sum() + GRADIENT[2]
    assert not compare(wanted, finite.reshape(1)).ok


def test_a_code_that_only_the_planted_value_moves_is_free() -> None:
    """Behind a clamp no finite value moves it, and the reference turns NaN into some integer."""

    def codes(x: torch.Tensor) -> torch.Tensor:
        return (x.abs() + 2.0).clamp(-1.0, 1.0).to(torch.int64)

    x = torch.tensor([0.5, torch.nan, 2.0])
    wanted = expected(codes, x, planted=PlantedElement(0, 1))
    assert compare(wanted, codes(x)).ok
    assert not compare(wanted, torch.tensor([0, 1, 1])).ok


def sorted_rows(x: torch.Tensor) -> torch.Tensor:
    """All numbers of normalised rows in order; one NaN makes its whole row NaN."""
    wide = x.double() if x.dtype is torch.float64 else x.float()
    rows = torch.nn.functional.layer_norm(wide.abs().sqrt(), (x.shape[-1],))
    return (3.0 * rows.to(x.dtype)).reshape(-1).sort().values


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_a_sort_moves_the_numbers_beside_a_row_that_is_nan(value: float) -> None:
    """No finite value takes the row out of the order, as being NaN does."""
    x = normal(20, 6, seed=1).half()
    x[3, 2] = value
    wanted = expected(sorted_rows, x, planted=PlantedElement(0, 20))
    right = sorted_rows(x)
    assert int(right.isnan().sum()) == 6
    assert compare(wanted, right).ok
    assert not compare(wanted, right.roll(6)).ok  # NaN first
    assert not compare(wanted, sorted_rows(x.nan_to_num(0.0, 0.0))).ok
    shifted = torch.cat([right[1:114], right[113:]])
    assert not compare(wanted, shifted).ok


def test_a_number_that_takes_the_place_of_a_smaller_one_is_rounded_as_what_it_is() -> None:
    """The budget of 0.001 holds no float16 number near 5000."""

    def largest_last(x: torch.Tensor) -> torch.Tensor:
        return (x * 1.001).sort().values

    x = torch.tensor([-4000.0, 0.001, 5003.0, torch.nan, 7000.0]).half()
    wanted = expected(largest_last, x, planted=PlantedElement(0, 3))
    right = largest_last(x)
    assert compare(wanted, right).ok
    one_rounding = (x.float() * 1.001).sort().values.half()
    assert compare(wanted, one_rounding).ok
    assert not compare(wanted, right * 1.01).ok


def _row_with(*pairs: tuple[int, float]) -> torch.Tensor:
    x = normal(4, 16)
    for column, value in pairs:
        x[1, column] = value
    return x


def test_a_nan_is_not_lost_behind_infinities() -> None:
    x = _row_with((3, torch.inf), (2, -torch.inf), (4, torch.nan))
    at = PlantedElement(0, 16 + 4, (), (16 + 3, 16 + 2))
    sums = expected(lambda v: v.sum(-1), x, planted=at)
    right = x.sum(-1)
    assert compare(sums, right).ok
    for wrong in (torch.inf, -torch.inf, 0.0):
        other = right.clone()
        other[1] = wrong
        assert not compare(sums, other).ok
    places = expected(lambda v: v.argmax(-1), x, planted=at)
    first = x.argmax(-1)
    assert int(first[1]) == 4 and compare(places, first).ok
    first[1] = 3
    assert not compare(places, first).ok


def test_what_infinities_alone_make_is_free() -> None:
    x = _row_with((3, torch.inf), (4, torch.nan))
    at = PlantedElement(0, 16 + 4, (), (16 + 3,))
    found = expected(lambda v: v.cumsum(-1), x, planted=at)
    answer = x.cumsum(-1)
    assert compare(found, answer).ok
    answer[1, 3] = torch.nan  # inf - inf in a compensated sum
    assert compare(found, answer).ok
    answer[1, 5] = torch.inf
    assert not compare(found, answer).ok


def test_numbers_that_the_reference_refuses_are_not_asked() -> None:
    """A logarithm that raises for what is not positive: NaN is still asked for."""

    def logarithm(x: torch.Tensor) -> torch.Tensor:
        if bool((x <= 0).any()):
            raise TaskError("all elements must be positive")
        return x.log()

    x = torch.tensor([0.5, torch.nan, 2.0])
    wanted = expected(logarithm, x, planted=PlantedElement(0, 1))
    assert compare(wanted, x.log()).ok
    assert not compare(wanted, torch.tensor([0.5, 0.0, 2.0]).log()).ok
    assert not compare(wanted, torch.tensor([0.5, 1.0, 2.0]).log()).ok


@pytest.mark.parametrize(("small", "other_is_right"), [(1e-9, True), (0.25, False)])
def test_an_infinity_has_no_sign_where_roundings_decide_it(
    small: float, other_is_right: bool
) -> None:
    """A factor that is positive in float64 and negative in float32, as of a nearly singular one."""

    def scaled(x: torch.Tensor) -> torch.Tensor:
        return x[:1] * ((x[1:] + 1.0) - 1.0 - 0.5 * x[1:])

    x = torch.tensor([torch.inf, small])
    wanted = expected(scaled, x, planted=PlantedElement(0, 0))
    right = scaled(x)
    assert compare(wanted, right).ok
    assert compare(wanted, -right).ok is other_is_right
    assert not compare(wanted, torch.tensor([7.0])).ok


def nan_at_inf(x: torch.Tensor) -> torch.Tensor:
    """As torch's GELU on a CPU: of inf it is inf in float64, and NaN in float32 vectors."""
    positive = torch.where(x > 0, x, 0.0 * x)
    return torch.where(x.isposinf(), torch.nan, positive) if x.dtype is torch.float32 else positive


@pytest.mark.parametrize("planted", [None, PlantedElement(0, 1)])
def test_the_nan_of_the_reference_is_right_where_the_truth_is_infinite(
    planted: PlantedElement | None,
) -> None:
    x = torch.tensor([0.5, torch.inf, 2.0])
    wanted = expected(nan_at_inf, x, planted=planted)
    for right in (torch.nan, torch.inf):
        assert compare(wanted, torch.tensor([0.5, right, 2.0])).ok
    for wrong in (-torch.inf, 0.0, 7.0):
        assert not compare(wanted, torch.tensor([0.5, wrong, 2.0])).ok
    assert not compare(wanted, torch.tensor([0.5, torch.nan, torch.nan])).ok


def test_a_nan_is_wrong_where_truth_and_reference_are_infinite_poles() -> None:
    x = torch.tensor([0.5, 0.0, 2.0])
    wanted = expected(torch.reciprocal, x)
    assert compare(wanted, x.reciprocal()).ok
    assert not compare(wanted, torch.tensor([2.0, torch.nan, 0.5])).ok


def test_a_complex_number_is_nan_where_one_of_its_parts_is() -> None:
    x = _row_with((4, torch.nan))
    wanted = expected(torch.fft.rfft, x, planted=PlantedElement(0, 16 + 4))
    right = torch.fft.rfft(x)
    assert not bool(right[1, 0].imag.isnan()) and compare(wanted, right).ok
    whole = right.clone()
    whole[1] = complex(torch.nan, torch.nan)  # the first bin's imaginary part is made as the others
    assert compare(wanted, whole).ok
    for wrong in (complex(0.0, torch.nan), complex(torch.nan, 1.0), 0.0):
        other = right.clone()
        other[1, 0] = wrong
        assert not compare(wanted, other).ok
    whole[0] = whole[1]
    assert not compare(wanted, whole).ok
