"""Whole changes: no element stays, values and structure do."""

from __future__ import annotations

import random

import pytest
import torch

from assay.sandbox.host.call_content import Content
from assay.sandbox.host.changes.spread_change import words_of
from assay.sandbox.host.changes.whole_change import Shuffle, WholeChange, bears_shuffle, shuffled
from support.references import normal


def changed(*inputs: object, seed: int = 1) -> tuple[torch.Tensor, ...]:
    content = Content(inputs)
    return WholeChange(content).make(content, random.Random(seed)).inputs


@pytest.mark.parametrize("shape", [(40, 300), (7, 64), (5, 3, 130), (2048,), (600, 16), (300,)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_the_elements_are_the_same_and_lie_elsewhere(
    shape: tuple[int, ...], dtype: torch.dtype
) -> None:
    tensor = torch.randn(shape, generator=torch.Generator().manual_seed(5)).to(dtype) + 9.0
    for seed in range(20):
        found = shuffled(tensor, Shuffle.draw(tensor.numel(), random.Random(seed)))
        assert torch.equal(found.flatten().sort()[0], tensor.flatten().sort()[0])
        if dtype is not torch.bfloat16:  # of whose numbers many are equal
            assert (found == tensor).float().mean() < 0.02


def test_the_same_shuffle_gives_the_same_content() -> None:
    tensor = torch.randn(30, 200)
    change, in_place = Shuffle.draw(tensor.numel(), random.Random(2)), torch.empty(30, 200)
    change.make(words_of(in_place), words_of(tensor))
    assert torch.equal(in_place, shuffled(tensor, change))


def test_independent_numbers_bear_it() -> None:
    drawn = torch.Generator().manual_seed(3)
    for shape in [(64, 512), (8, 3, 32, 32), (4096,), (5, 7), (128, 128), (2048, 64)]:
        for _ in range(10):
            assert bears_shuffle(torch.randn(shape, generator=drawn))
            assert bears_shuffle(torch.rand(shape, generator=drawn) + 0.1)


@pytest.mark.parametrize(
    "tensor",
    [
        normal(64, 512).softmax(-1),
        torch.nn.functional.normalize(normal(64, 512)),
        torch.linspace(0.0, 1.0, 100),
        normal(64, 64).tril(),
        normal(512, 4) * torch.tensor([1.0, 1.0, 9.0, 9.0]),
        normal(64, 64) + 64 * torch.eye(64),
        torch.zeros(9),
        normal(1, 1).expand(3, 4),
        torch.arange(40),
    ],
)
def test_structure_does_not(tensor: torch.Tensor) -> None:
    assert not bears_shuffle(tensor)


def test_symmetric_matrices_are_new_ones_of_their_kind() -> None:
    square = torch.randn(16, 24, 24, generator=torch.Generator().manual_seed(4))
    given = square @ square.transpose(-1, -2) + torch.eye(24)
    given = 0.5 * (given + given.transpose(-1, -2))
    (found,) = changed(given)
    assert torch.equal(found, found.transpose(-1, -2)) and not (found == given).any()
    values = torch.linalg.eigvalsh(given)
    assert (torch.linalg.eigvalsh(found) > 0).all()
    assert not torch.isclose(torch.linalg.eigvalsh(found)[:, None], values[None]).all(-1).any()


def test_strides_whole_numbers_and_single_numbers_stay() -> None:
    strided = torch.randn(40, 60).T
    found = changed(strided, torch.arange(12), 0.5, torch.randn(64, 64).tril())
    assert found[0].stride() == strided.stride() and not (found[0] == strided).any()
    assert torch.equal(found[1], torch.arange(12)) and found[2] == 0.5
    assert torch.equal(found[3], found[3].tril())


@pytest.mark.parametrize("shape", [(), (1,), (2,), (1, 1), (0, 4), (3, 1)])
def test_small_tensors_do_no_harm(shape: tuple[int, ...]) -> None:
    assert changed(torch.randn(shape))[0].shape == shape


def test_values_are_none_that_were_seen() -> None:
    for given in (
        torch.randn(40, 300),
        torch.rand(40, 300) + 0.5,
        torch.randn(40, 300).double().exp(),
    ):
        (found,) = changed(given)
        assert torch.isin(found, given).float().mean() < 0.01  # two may meet by chance
        near = (found.flatten().sort()[0] - given.flatten().sort()[0]).abs()
        assert (near <= given.flatten().sort()[0].abs() / 16 + 1e-3).all()


@pytest.mark.parametrize("given", [torch.randn(40, 300).round() + 0.5, torch.randn(40, 300).half()])
def test_values_of_a_grid_stay_on_it(given: torch.Tensor) -> None:
    (found,) = changed(given)
    assert found.dtype is given.dtype and (found.double() % 2.0**-24 == 0).all()
    if given.dtype is torch.float32:
        assert torch.isin(found, given).all()


def test_complex_numbers_change_too() -> None:
    given = torch.randn(40, 60, dtype=torch.complex64)
    (found,) = changed(given)
    assert found.dtype is given.dtype and found.shape == given.shape
    assert (found == given).float().mean() < 0.02


def test_integers_that_bear_another_order_get_one() -> None:
    drawn = torch.Generator().manual_seed(6)
    codes = torch.randint(-127, 128, (40, 300), generator=drawn, dtype=torch.int8)
    flags = torch.rand(40, 300, generator=drawn) < 0.5
    found = changed(codes, flags)
    assert torch.equal(found[0].flatten().sort()[0], codes.flatten().sort()[0])
    assert (found[0] == codes).float().mean() < 0.02
    assert found[1].sum() == flags.sum() and not torch.equal(found[1], flags)


@pytest.mark.parametrize(
    "whole",
    [
        torch.randint(0, 9, (64,)).sort()[0],  # offsets
        torch.arange(30) < torch.randint(1, 30, (40, 1)),  # rows that end
        torch.rand(64, 300).argsort(-1)[:, :20],  # distinct in each row
        torch.randint(0, 5, (300, 2)) + torch.tensor([0, 50]),  # columns of their own
        torch.full((9,), 4),
    ],
)
def test_integers_of_a_structure_stay(whole: torch.Tensor) -> None:
    assert torch.equal(changed(whole)[0], whole)


def test_starts_and_ends_stay_together() -> None:
    starts = torch.randint(0, 50, (200,))
    found = changed(starts, starts + torch.randint(1, 50, (200,)))
    assert torch.equal(found[0], starts) and (found[0] < found[1]).all()
