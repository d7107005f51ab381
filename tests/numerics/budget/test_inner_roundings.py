"""What cancels is noise: sums that another kernel adds up in another order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest
import torch

from assay.numerics.budget.error_budget import reference_spread
from assay.numerics.expectation import compare
from support.references import expected, expected_all, normal

Tensors = Sequence[torch.Tensor]


def causal(scores: torch.Tensor) -> torch.Tensor:
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(later, -math.inf)


def attention_backward(*given: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Through autograd, as a reference does it."""
    *inputs, gradient = given
    with torch.enable_grad():
        q, k, v = (value.detach().requires_grad_(True) for value in inputs)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        made = torch.softmax(causal(scores), dim=-1) @ v
        return torch.autograd.grad(made, (q, k, v), gradient)


def flash_backward(*given: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """By rowsum(dO * O): where a row is one-hot it subtracts two sums of the same terms."""
    q, k, v, gradient = given
    scale = 1 / math.sqrt(q.shape[-1])
    weights = torch.softmax(causal((q * scale) @ k.transpose(-1, -2)), dim=-1)
    inner = (gradient * (weights @ v)).sum(-1, keepdim=True)
    scores = weights * (gradient @ v.transpose(-1, -2) - inner) * scale
    return scores @ k, scores.transpose(-1, -2) @ q, weights.transpose(-1, -2) @ gradient


def by_logarithm(*given: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Weights made again as exp(x - logsumexp), as a kernel does that keeps only the logarithm."""
    q, k, v, gradient = given
    scale = 1 / math.sqrt(q.shape[-1])
    scores = causal((q * scale) @ k.transpose(-1, -2))
    weights = torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True))
    inner = (gradient * (weights @ v)).sum(-1, keepdim=True)
    pulled = weights * (gradient @ v.transpose(-1, -2) - inner) * scale
    return pulled @ k, pulled.transpose(-1, -2) @ q, weights.transpose(-1, -2) @ gradient


def shares(given: Tensors, actual: Tensors) -> list[float]:
    outputs = expected_all(attention_backward, *given)
    found = [compare(one, tensor).budget_used for one, tensor in zip(outputs, actual, strict=True)]
    return [math.inf if share is None else share for share in found]


@pytest.mark.parametrize("power", [0, 2, 5, 16])
def test_gradients_by_the_output_are_as_right_as_those_by_the_weights(power: int) -> None:
    given = [normal(2, 96, 64, seed=s) * 2.0**power for s in range(4)]
    assert max(shares(given, attention_backward(*given))) < 0.25
    assert max(shares(given, flash_backward(*given))) < 0.5


@pytest.mark.parametrize("power", [0, 2, 5])
def test_weights_by_the_logarithm_are_off_by_their_exponents(power: int) -> None:
    given = [normal(2, 96, 64, seed=s) * 2.0**power for s in range(4)]
    assert max(shares(given, by_logarithm(*given))) < 0.5


@pytest.mark.parametrize("shape", [(64, 1, 7), (16, 2, 4099)])
def test_sums_that_cancel_among_their_own_terms(shape: tuple[int, ...]) -> None:
    *inputs, gradient = [normal(*shape, seed=s) for s in range(4)]
    given = [*inputs, gradient + 100.0]
    for kernel in (flash_backward, by_logarithm):
        assert max(shares(given, kernel(*given))) < 0.5


def test_a_mask_far_below_excuses_nothing() -> None:
    scores, values = normal(4, 32, 32), normal(4, 32, 8, seed=1)
    hidden = torch.arange(32) % 3 == 0

    def masked(x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x.masked_fill(hidden, -1e9), -1) @ v

    expectation = expected(masked, scores, values)
    assert compare(expectation, masked(scores, values)).ok
    assert not compare(expectation, torch.softmax(scores, -1) @ values).ok


def test_where_one_logit_outweighs_all_nothing_is_added() -> None:
    logits = torch.tensor([[900.0, -900.0], [-700.0, 800.0]])
    best = expected(lambda x: torch.log_softmax(x, -1).amax(-1), logits)
    assert compare(best, torch.zeros(2)).ok
    assert not compare(best, torch.full((2,), -1e-6)).ok


def test_a_single_class_may_leave_a_rounding_of_one() -> None:
    logits = normal(64, 1)
    loss = expected(lambda x: -torch.log_softmax(x, -1)[:, 0], logits)
    noise = (torch.exp(logits).log() - logits)[:, 0]
    assert noise.abs().max() > 0.0
    assert compare(loss, noise).ok and compare(loss, torch.zeros(64)).ok
    assert not compare(loss, torch.full((64,), 1e-5)).ok


@pytest.mark.parametrize("power", [0, 2])
def test_half_precision_is_not_excused_by_it(power: int) -> None:
    given = [normal(2, 96, 64, seed=s) * 2.0**power for s in range(4)]
    rounded = [value.bfloat16().float() for value in given]
    assert min(shares(given, flash_backward(*rounded))) > 2.0


def test_a_difference_of_equal_sums_may_be_their_rounding() -> None:
    values = normal(64, 100)
    difference = expected(lambda x: x.sum(-1) - x.sum(-1), values)
    assert compare(difference, values.sum(-1) - values.flip(-1).cumsum(-1)[:, -1]).ok
    assert not compare(difference, values[:, 0] * 1e-3).ok


def test_a_count_is_rounded_by_nobody() -> None:
    def fours(x: torch.Tensor) -> torch.Tensor:
        return torch.floor((x > 0.0).to(x.dtype).sum(-1) / 4.0)

    values = torch.arange(64.0).repeat(64, 1) - torch.arange(64.0)[:, None]
    expectation = expected(fours, values)
    assert compare(expectation, fours(values)).ok
    assert not compare(expectation, fours(values) - 1.0).ok


def test_an_error_as_large_as_the_element_reaches_up_to_its_size() -> None:
    powers = torch.tensor([-30, -25, -12, -6]).repeat_interleave(64)
    errors = torch.tensor([-25.0, -12.0, -16.0, -14.0]).repeat_interleave(64)
    spread = reference_spread(torch.exp2(powers.double()), torch.exp2(errors.double()))
    assert spread[::64].log2().tolist() == [-12.0, -12.0, -16.0, -14.0]


def test_what_the_reference_returns_exactly_is_demanded_exactly() -> None:
    magnitude = torch.tensor([0.0, 2.0**-3]).double().repeat_interleave(64)
    spread = reference_spread(magnitude, magnitude * 2.0**-17)
    assert spread[::64].tolist() == [0.0, 2.0**-20]


def test_a_product_that_was_written_over_is_not_made_again() -> None:
    def pulled(a: torch.Tensor, b: torch.Tensor, given: torch.Tensor) -> torch.Tensor:
        gradient = a @ b
        gradient.mul_(0.0).add_(given)
        weights = torch.softmax(given, -1)
        return torch.ops.aten._softmax_backward_data(gradient, weights, -1, given.dtype)

    given = [normal(16, 16, seed=s) * size for s, size in enumerate((1e4, 1e4, 1.0))]
    expectation = expected(pulled, *given)
    right = pulled(*given)
    assert compare(expectation, right).ok
    assert not compare(expectation, right + 1e-3).ok


def normalised(codes: torch.Tensor, scale: torch.Tensor, gain: torch.Tensor) -> torch.Tensor:
    """Rows of eight-bit codes, each worth its scale."""
    rows = codes.to(scale.dtype) * (scale / 127)[:, None]
    return torch.nn.functional.layer_norm(rows, rows.shape[-1:], gain)


def in_float32(codes: torch.Tensor, scale: torch.Tensor, gain: torch.Tensor) -> torch.Tensor:
    """The mean by a running sum, as a kernel does it that never leaves float32."""
    rows = codes.float() * (scale / 127)[:, None]
    total = torch.zeros(len(rows), 1)
    for column in rows.split(1, dim=1):
        total = total + column
    mean = total / rows.shape[1]
    deviation = torch.sqrt((rows - mean).square().mean(dim=1, keepdim=True) + 1e-5)
    return (rows - mean) / deviation * gain


def test_rows_of_one_code_are_off_by_a_rounding_of_their_mean_and_by_no_more() -> None:
    codes = torch.randint(-127, 128, (16, 1), dtype=torch.int8).expand(16, 128).contiguous()
    scale, gain = normal(16).abs() + 0.5, normal(128)
    output = expected(normalised, codes, scale, gain)
    actual = in_float32(codes, scale, gain)
    assert float(actual.abs().max()) > 0.0
    assert compare(output, actual).ok
    for wrong in (
        10 * actual,
        actual + 0.01,
        normalised(codes + torch.arange(2).repeat(64), scale, gain),
    ):
        assert not compare(output, wrong.float()).ok


def test_whole_numbers_have_a_mean_that_nobody_rounds() -> None:
    codes, gain = torch.full((4, 64), 3, dtype=torch.int8), normal(64)
    output = expected(
        lambda codes, gain: torch.nn.functional.layer_norm(codes.to(gain.dtype), (64,), gain),
        codes,
        gain,
    )
    assert compare(output, torch.zeros(4, 64)).ok
    assert not compare(output, torch.full((4, 64), 1e-6)).ok


@pytest.mark.parametrize("shape", [(0, 64), (3, 1), (2, 8)])
def test_no_rows_and_short_rows_have_an_expectation(shape: tuple[int, int]) -> None:
    codes = torch.ones(shape, dtype=torch.int8)
    scale, gain = normal(shape[0]).abs() + 0.5, normal(shape[1])
    output = expected(normalised, codes, scale, gain)
    assert compare(output, in_float32(codes, scale, gain)).ok


def test_the_mean_of_a_group_moves_too() -> None:
    def grouped(codes: torch.Tensor, scale: torch.Tensor, gain: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.group_norm(codes.to(scale.dtype) * scale, 2, gain)

    codes = torch.full((3, 4, 5), 3, dtype=torch.int8)
    output = expected(grouped, codes, torch.tensor([0.3]), normal(4))
    assert compare(output, torch.full((3, 4, 5), 1e-7)).ok
    assert not compare(output, torch.full((3, 4, 5), 1e-2)).ok


def rational_erf(x: torch.Tensor) -> torch.Tensor:
    """Abramowitz and Stegun 7.1.26 in single precision, off by 1.5e-7 at most."""
    t = 1.0 / (1.0 + 0.3275911 * x.abs())
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * -1.453152027)))
    series = series + t**5 * 1.061405429
    return torch.sign(x) * (1.0 - series * torch.exp(-x * x))


@pytest.mark.parametrize("inside", [rational_erf, torch.erf])
def test_an_error_function_of_single_precision_is_right_in_the_tail_of_a_gelu(
    inside: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    x = 2.0 * normal(64, 1024)
    made = 0.5 * x * (1.0 + inside(x * 0.5**0.5))
    found = compare(expected(torch.nn.functional.gelu, x), made).budget_used
    assert found is not None and found <= 1.0


def test_an_error_function_of_half_precision_is_wrong_there() -> None:
    x = 2.0 * normal(64, 1024)
    made = 0.5 * x * (1.0 + torch.erf(x * 0.5**0.5).half().float())
    found = compare(expected(torch.nn.functional.gelu, x), made).budget_used
    assert found is None or found > 20.0


@pytest.mark.parametrize("dim", [0, 1])
def test_a_softmax_of_nothing_has_an_expectation(dim: int) -> None:
    given = torch.zeros(0, 4)
    expectation = expected(lambda x: torch.log_softmax(x, dim=dim), given)
    assert compare(expectation, given.clone()).ok


def test_powers_of_exponents_that_are_rounded_to_float32_are_right() -> None:
    def spaced(like: torch.Tensor) -> torch.Tensor:
        return torch.logspace(0.0, 10.0, 100_003, dtype=like.dtype)

    places = torch.arange(100_003, dtype=torch.float32) * torch.tensor(10 / 100_002)
    by_exp = torch.exp(places * torch.log(torch.tensor(10.0)))
    (outcome,) = expected_all(spaced, torch.ones(1))
    assert 0.1 < compare(outcome, by_exp).budget_used < 0.5
    wrong = torch.exp(places * torch.log(torch.tensor(10.0002)))
    assert compare(outcome, wrong).budget_used > 10
