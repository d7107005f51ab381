"""Bait: found by whoever looks into memory that was handed out, and never the answer itself."""

from __future__ import annotations

from statistics import mode

import torch

from assay.worker.child.bait import lay_bait

_SHAPE = (256, 1024)
_TRIES = 40  # of 160 runs, the least lucky one still found eight


def _found(answer: torch.Tensor) -> list[int]:
    """How many elements differ, each time that memory looked like the answer where one looks."""
    looked_at = [0, _SHAPE[0] // 2, -1]
    differing = []
    for seed in range(_TRIES):
        held = lay_bait([answer], seed)
        blocks = [torch.empty(_SHAPE) for _ in range(4)]
        alike = [block for block in blocks if torch.equal(block[looked_at], answer[looked_at])]
        differing += [int((block != answer).sum()) for block in alike]
        del held
    return differing


def test_whoever_takes_memory_for_the_answer_is_wrong_in_a_few_elements() -> None:
    found = _found(torch.randn(_SHAPE))
    assert found and min(found) > 0
    assert mode(found) == 3  # now and then something else was written over part of it


def test_results_of_a_few_elements_are_not_spoiled() -> None:
    assert lay_bait([torch.randn(8), None, 3.0], 1) == []
