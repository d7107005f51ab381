"""What wrong elements have in common, in words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from assay.data.observations.explanation import PatternKind
from assay.numerics.failure.error_pattern import Pattern, WrongAnswer, pattern
from support.references import normal

TRUTH = normal(12, 33).double()


def seen(got: torch.Tensor, truth: torch.Tensor = TRUTH) -> Pattern:
    return pattern(WrongAnswer(got, truth, ~torch.isclose(got, truth, rtol=1e-9, atol=0)))


def last_column(change: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    got = TRUTH.clone()
    got[:, 32:] = change(got[:, 32:])
    return got


@pytest.mark.parametrize(
    ("got", "kind", "words"),
    [
        (last_column(lambda x: x * torch.nan), PatternKind.NON_FINITE, "NaN where"),
        (last_column(torch.zeros_like), PatternKind.ZEROS, "zero instead"),
        (last_column(lambda x: x * 0 + 7), PatternKind.CONSTANT, "the same value 7"),
        (last_column(lambda x: x * 2), PatternKind.FACTOR, "2 times the answer"),
        (last_column(lambda x: x + 0.25), PatternKind.SHIFTED, "the answer plus 0.25"),
    ],
)
def test_a_value_pattern_comes_with_its_place(
    got: torch.Tensor, kind: PatternKind, words: str
) -> None:
    found = seen(got)
    assert found.kind is kind and words in found.text
    assert found.text.endswith("the last 1 of 33 along dimension 1, after the last full tile of 32")


def test_a_missing_nan() -> None:
    truth = TRUTH.clone()
    truth[3] = torch.nan
    wrong = truth.isnan()
    found = pattern(WrongAnswer(TRUTH, truth, wrong))
    assert found.kind is PatternKind.NON_FINITE and "must show" in found.text


@pytest.mark.parametrize(("dtype", "name"), [(torch.half, "float16"), (torch.bfloat16, "bfloat16")])
def test_lost_precision_is_counted_in_bits(dtype: torch.dtype, name: str) -> None:
    found = seen(TRUTH.to(dtype).double())
    assert found.kind is PatternKind.PRECISION and name in found.text


def test_a_transposed_and_a_moved_answer() -> None:
    square = normal(8, 8).double()
    assert "dimensions 0 and 1 swapped" in seen(square.t().contiguous(), square).text
    assert "moved by 1 along dimension 1" in seen(TRUTH.roll(1, 1)).text
    order = torch.randperm(TRUTH.numel(), generator=torch.Generator().manual_seed(1))
    shuffled = TRUTH.reshape(-1)[order].reshape(TRUTH.shape)
    assert seen(shuffled).kind is PatternKind.PERMUTED


def test_a_transposed_answer_of_another_shape() -> None:
    got = TRUTH.t().reshape(TRUTH.shape)
    assert "dimensions 0 and 1 swapped" in seen(got).text


def test_nothing_is_said_about_why_where_nothing_is_known() -> None:
    got = TRUTH.clone()
    got[4] = normal(33, seed=8).double()
    found = seen(got)
    assert found.kind is PatternKind.SLICES
    assert found.text == "wrong in index 4 of 12 along dimension 0 (33 of 396 elements)"
    other = seen(normal(12, 33, seed=5).double())
    assert (other.kind, other.text) == (PatternKind.EVERYWHERE, "wrong in all 396 elements")


def test_one_element_and_integers() -> None:
    one = seen(torch.tensor(3.0).double(), torch.tensor(1.0).double())
    assert one.text == "wrong in the only element"
    found = seen(torch.tensor([0.0, 5.0, 1.0]), torch.tensor([0.0, 2.0, 1.0]))
    assert found.kind is PatternKind.SLICES


def test_a_forgotten_bias_and_a_forgotten_gain() -> None:
    bias, gain = normal(33, seed=4).double(), 1 + normal(33, seed=6).double().abs()
    missing = seen(TRUTH, TRUTH + bias)
    assert missing.kind is PatternKind.SHIFTED and "same all along dimension 0" in missing.text
    ignored = seen(TRUTH, TRUTH * gain)
    assert ignored.kind is PatternKind.FACTOR and "same all along dimension 0" in ignored.text


def test_an_error_in_proportion_is_no_matter_of_precision() -> None:
    noise = 1e-4 * normal(12, 33, seed=7).double()
    found = seen(TRUTH * 1.001 + noise)
    assert found.kind is PatternKind.FACTOR and "about 1.001" in found.text


def test_noise_around_zero_is_measured_against_the_whole() -> None:
    found = seen(TRUTH + 2e-3 * normal(12, 33, seed=7).double())
    assert found.kind is PatternKind.PRECISION and "bits" in found.text
