"""Content that differs in a few elements keeps its layout and its domain."""

from __future__ import annotations

import random

import pytest
import torch

from assay.sandbox.host.call_content import Content, few_changed

SEEDS = range(40)


def _changed(tensor: torch.Tensor, seed: int) -> torch.Tensor:
    found = few_changed(Content((tensor,)), random.Random(seed)).inputs[0]
    assert isinstance(found, torch.Tensor)
    return found


def _normal(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(3))


@pytest.mark.parametrize(
    "tensor",
    [
        _normal(20, 30),
        _normal(20, 30).t(),
        _normal(20, 30)[:, ::2],
        _normal(20, 30)[2:, 3:],
        _normal(20, 30).to(torch.bfloat16),
        _normal(20, 30).half(),
        _normal(20, 30).double(),
    ],
)
def test_a_few_elements_differ_and_the_layout_does_not(tensor: torch.Tensor) -> None:
    before = tensor.clone()
    for seed in SEEDS:
        duplicate = _changed(tensor, seed)
        assert duplicate.stride() == tensor.stride() and duplicate.shape == tensor.shape
        assert duplicate.dtype is tensor.dtype
        assert 1 <= int((duplicate != tensor).sum()) <= 3
        assert duplicate.isfinite().all()
    assert torch.equal(tensor, before)


def test_the_places_are_secret() -> None:
    tensor = _normal(50, 50)
    places = {tuple((_changed(tensor, s) != tensor).nonzero()[0].tolist()) for s in SEEDS}
    assert len(places) > 30


def test_the_change_is_large_enough_to_be_told_from_rounding() -> None:
    tensor = _normal(20, 30)
    for seed in SEEDS:
        duplicate = _changed(tensor, seed)
        moved = duplicate != tensor
        assert ((duplicate - tensor).abs()[moved] > 0.4 * tensor.abs()[moved]).all()


@pytest.mark.parametrize("scale", [0.5, 5.0, 500.0])
def test_what_was_never_negative_stays_so(scale: float) -> None:
    tensor = _normal(20, 30).abs() * scale
    for seed in SEEDS:
        duplicate = _changed(tensor, seed)
        assert float(duplicate.min()) >= 0.0 and not torch.equal(duplicate, tensor)


def test_probabilities_stay_below_one() -> None:
    tensor = torch.rand(20, 30, generator=torch.Generator().manual_seed(1))
    assert all(float(_changed(tensor, seed).max()) <= 1.0 for seed in SEEDS)


@pytest.mark.parametrize("scale", [0.5, 5.0])
def test_what_was_never_positive_stays_so(scale: float) -> None:
    tensor = -_normal(20, 30).abs() * scale
    assert all(float(_changed(tensor, seed).max()) <= 0.0 for seed in SEEDS)


def test_an_expanded_input_changes_in_one_cell_of_its_storage() -> None:
    tensor = _normal(20, 1).expand(20, 30)
    for seed in SEEDS:
        duplicate = _changed(tensor, seed)
        assert duplicate.stride() == tensor.stride()
        assert 1 <= len({row for row, _ in (duplicate != tensor).nonzero().tolist()}) <= 3


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
def test_integers_keep_their_range(dtype: torch.dtype) -> None:
    tensor = torch.randint(3, 97, (400,), generator=torch.Generator().manual_seed(2)).to(dtype)
    differ = 0
    for seed in SEEDS:
        duplicate = _changed(tensor, seed)
        assert set(duplicate.tolist()) <= set(tensor.tolist())
        assert int((duplicate != tensor).sum()) <= 3
        differ += not torch.equal(duplicate, tensor)
    assert differ > len(SEEDS) / 2


def test_the_largest_float_input_is_the_one_that_changes() -> None:
    small, large, labels = _normal(5), _normal(9, 9), torch.arange(1000)
    content = Content((small, 2.5, labels, large))
    found = few_changed(content, random.Random(1)).inputs
    assert found[0] is small and found[1] == 2.5 and found[2] is labels
    assert not torch.equal(found[3], large)


def test_nothing_to_change_is_no_error() -> None:
    content = Content((torch.empty(0, 4), 3))
    assert few_changed(content, random.Random(1)) is content


def test_complex_numbers_change_like_others() -> None:
    content = Content((torch.randn(9, 9, dtype=torch.complex64), 3))
    for extreme in (False, True):
        found = few_changed(content, random.Random(1), extreme=extreme).inputs[0]
        assert 1 <= int((found != content.inputs[0]).sum()) <= 6


def test_elements_are_counted_over_all_tensors() -> None:
    assert Content((_normal(3, 4), 7, _normal(5))).elements == 17


@pytest.mark.parametrize("tensor", [_normal(20, 30), _normal(1, 50), torch.randperm(400)])
def test_extremes_move_without_ties_and_within_the_range(tensor: torch.Tensor) -> None:
    moved = 0
    for seed in SEEDS:
        duplicate = few_changed(Content((tensor,)), random.Random(seed), extreme=True).inputs[0]
        assert tensor.min() <= duplicate.min() and duplicate.max() <= tensor.max()
        assert (
            int((duplicate == duplicate.max()).sum())
            == int((duplicate == duplicate.min()).sum())
            == 1
        )
        moved += int(duplicate.argmax() != tensor.argmax() or duplicate.argmin() != tensor.argmin())
    assert moved > 30


@pytest.mark.parametrize("shape", [(12, 6, 6), (2, 3, 5, 5), (4, 4)])
def test_symmetric_matrices_change_as_wholes_and_stay_definite(shape: tuple[int, ...]) -> None:
    factor = torch.randn(shape, generator=torch.Generator().manual_seed(3))
    product = factor @ factor.transpose(-1, -2)
    definite = (product + product.transpose(-1, -2)) / 2 + torch.eye(shape[-1])
    for seed in range(20):
        (made,) = few_changed(Content((definite,)), random.Random(seed)).inputs
        assert torch.equal(made, made.transpose(-1, -2)) and not torch.equal(made, definite)
        torch.linalg.cholesky(made)  # raises where a matrix is not definite
        moved = (made != definite).flatten(-2).any(dim=-1)
        assert moved.sum() <= 3
