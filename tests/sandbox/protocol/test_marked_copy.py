from __future__ import annotations

import pytest
import torch

from assay.sandbox.protocol.marked_copy import can_be_marked, is_marked_copy, marked_copy

_ANSWERS = {
    "float32": torch.linspace(-2.0, 2.0, 640).reshape(8, 80),
    "bfloat16": torch.linspace(-2.0, 2.0, 640).bfloat16(),
    "int64": torch.arange(640).reshape(80, 8),
    "bool": torch.arange(640) % 3 == 0,
    "transposed": torch.linspace(-2.0, 2.0, 640).reshape(8, 80).T,
}


@pytest.mark.parametrize("name", _ANSWERS)
def test_a_spoiled_copy_is_known_again(name: str) -> None:
    answer = _ANSWERS[name]
    for seed in range(50):
        duplicate = marked_copy(answer, seed)
        assert 1 <= int((duplicate != answer).sum()) <= 3
        assert is_marked_copy(duplicate, answer, seed) == (int((duplicate != answer).sum()) >= 2)
        assert not is_marked_copy(duplicate, answer, seed + 1000)
        assert not is_marked_copy(answer, answer, seed)


def test_it_is_known_where_part_of_it_was_written_over() -> None:
    answer = _ANSWERS["float32"]
    duplicate = marked_copy(answer, 1)
    duplicate[0, :8] = 0.0
    assert is_marked_copy(duplicate, answer, 1)


@pytest.mark.parametrize("name", _ANSWERS)
def test_other_wrong_answers_are_not_it(name: str) -> None:
    answer = _ANSWERS[name]
    for seed in range(50):
        torch.manual_seed(seed)
        other = answer.flatten()[torch.randperm(answer.numel())].reshape(answer.shape)
        lucky = answer.dtype is torch.bool and _differs_where_spoiled(answer, other, seed)
        assert is_marked_copy(other, answer, seed) == lucky
    assert not is_marked_copy(answer[:1], answer, 0)


def test_small_and_strange_answers_are_left_alone() -> None:
    strange = torch.zeros(640, dtype=torch.complex64), torch.zeros(640).to(torch.float8_e4m3fn)
    for answer in (torch.randn(63), *strange):
        assert not can_be_marked(answer) and not is_marked_copy(answer, answer, 1)


def _differs_where_spoiled(answer: torch.Tensor, other: torch.Tensor, seed: int) -> bool:
    """Of two values, an answer that is all wrong has the other one."""
    places = marked_copy(answer, seed) != answer
    return bool((other != answer)[places].all())
