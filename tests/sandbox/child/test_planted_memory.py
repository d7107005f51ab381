"""Bait: found by whoever looks into memory that was handed out, and never the answer itself."""

from __future__ import annotations

from statistics import mode

import torch

from assay.sandbox.child.planted_memory import plant_memory
from assay.sandbox.protocol.marked_copy import is_marked_copy

_SHAPE = (256, 1024)
_TRIES = 40  # of 160 runs, the least lucky one still found eight


def _found(answer: torch.Tensor) -> list[tuple[torch.Tensor, int]]:
    """Memory that looked like the answer where one looks, and the seed of the bait laid last."""
    looked_at = [1, _SHAPE[0] // 2, -2]  # allocators write at the ends of what is free
    found = []
    for seed in range(_TRIES):
        held = plant_memory([answer], seed)
        blocks = [torch.empty(_SHAPE) for _ in range(4)]
        alike = [block for block in blocks if torch.equal(block[looked_at], answer[looked_at])]
        found += [(block.clone(), seed) for block in alike]
        del held
    return found


def test_whoever_takes_memory_for_the_answer_is_wrong_and_known() -> None:
    answer = torch.randn(_SHAPE)
    found = _found(answer)
    assert found and not any(torch.equal(block, answer) for block, _ in found)
    # now and then something else was written over part of it
    assert mode(_is_bait(block, answer, seed) for block, seed in found)


def _is_bait(block: torch.Tensor, answer: torch.Tensor, last: int) -> bool:
    """An older one may still lie there."""
    return any(is_marked_copy(block, answer, seed) for seed in range(last + 1))


def test_results_of_a_few_elements_are_not_spoiled() -> None:
    assert plant_memory([torch.randn(8), None, 3.0], 1) == []
