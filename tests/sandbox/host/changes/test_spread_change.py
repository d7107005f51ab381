"""Changes all over a tensor: every row moves, structure stays, and the change can be made again."""

from __future__ import annotations

import random

import pytest
import torch

from assay.sandbox.host.call_content import Content
from assay.sandbox.host.changes.spread_change import (
    SpreadChange,
    all_changed,
    bears_spread,
    float_positions,
    with_changes,
    words_of,
)


@pytest.mark.parametrize("shape", [(40, 300), (7, 64), (5, 3, 130), (2048,), (600, 16)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
def test_every_row_changes(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    tensor = torch.randn(shape, generator=torch.Generator().manual_seed(1)).to(dtype)
    changed = with_changes(tensor, [SpreadChange.draw(tensor, random.Random(1))])
    rows = (changed != tensor).reshape(-1, shape[-1]).any(dim=1)
    assert rows.float().mean() > 0.9 and changed.shape == tensor.shape
    assert (changed != tensor).float().mean() < 0.2


def test_the_same_changes_give_the_same_content() -> None:
    tensor, rng = torch.randn(30, 200), random.Random(2)
    changes = [SpreadChange.draw(tensor, rng) for _ in range(5)]
    in_place = tensor.clone()
    for change in changes:
        change.make(words_of(in_place), words_of(tensor))
    assert torch.equal(in_place, with_changes(tensor, changes))


def test_zeros_stay_where_they_are() -> None:
    tensor = torch.randn(300, 300).tril()
    changed = with_changes(tensor, [SpreadChange.draw(tensor, random.Random(s)) for s in range(9)])
    assert torch.equal(changed == 0, tensor == 0) and not torch.equal(changed, tensor)


def test_all_float_inputs_change_and_others_stay() -> None:
    labels, square = torch.arange(12), torch.randn(64, 64)
    content = Content((torch.randn(64, 64), labels, square + square.T, 0.5))
    found = all_changed(content, random.Random(3))
    assert not torch.equal(found.inputs[0], content.inputs[0])
    assert torch.equal(found.inputs[1], labels) and found.inputs[3] == 0.5
    assert not torch.equal(found.inputs[2], content.inputs[2])
    assert torch.equal(found.inputs[2], found.inputs[2].T)


@pytest.mark.parametrize("shape", [(), (1,), (2,), (1, 1), (0, 4), (3, 1)])
def test_small_tensors_do_no_harm(shape: tuple[int, ...]) -> None:
    content = Content((torch.randn(shape),))
    assert all_changed(content, random.Random(4)).inputs[0].shape == shape


def test_what_is_symmetric_strided_or_whole_numbers_bears_no_spread_change() -> None:
    square = torch.randn(8, 8)
    assert bears_spread(square)
    for other in (square + square.T, square.T, torch.arange(9), torch.randn(1)):
        assert not bears_spread(other)


def test_what_is_in_order_or_a_single_number_stays() -> None:
    bounds, rate = torch.linspace(-2.0, 2.0, 33), torch.tensor(0.9)
    content = Content((torch.randn(40, 40), bounds, rate, torch.zeros(5)))
    assert float_positions(content) == [0] and not bears_spread(bounds)
    assert all_changed(content, random.Random(5)).inputs[1:] == content.inputs[1:]
