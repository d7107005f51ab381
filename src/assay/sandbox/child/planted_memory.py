"""Planted memory: memory that is free to take and looks like the answer, but for a few elements.

The rule: an honest kernel writes every element it returns and never meets it. Whoever looks
into memory that it was handed, finds the last answer there and returns it, returns the marked one.
"""

from __future__ import annotations

import random
from typing import Any

import torch

from assay.sandbox.protocol.marked_copy import can_be_marked, marked_copy

_COPIES = (1, 2, 4, 6, 8)  # of each answer, a number drawn from these
_HELD = 0.9  # chance that one block more is held while the copies are freed
_SMALL = range(24, 1032, 16)  # bytes that glibc serves from small pieces, if it has any
_PIECES = 7  # of each, as many as it keeps for a thread


def plant_memory(results: list[Any], seed: int) -> list[torch.Tensor]:
    """Free copies of results, each with the same few elements marked.

    Where an allocator finds room is its own affair, so the number of copies changes from call to
    call, and so does whether something is held above them (the top of a heap may go back to the
    kernel). The copies are taken one after the other, as the candidate will take them, and small
    pieces lie ready, or the next small object would be cut off the planted memory and shift what
    follows. What is returned must be held as long as the planted memory is to lie.
    """
    rng = random.Random(seed)
    planted_copies = [marked_copy(leaf, seed) for leaf in results if _fits(leaf)]
    copies = rng.choice(_COPIES)
    _leave_small_pieces()
    duplicates = [
        (torch.empty_like(planted_seed), planted_seed)
        for planted_seed in planted_copies
        for _ in range(copies)
    ]
    held = (
        [torch.empty_like(planted_seed) for planted_seed in planted_copies]
        if rng.random() < _HELD
        else []
    )
    _fill(duplicates)
    planted_copies.clear()
    duplicates.clear()  # freed here, all at once, and found by whoever allocates next
    return held


def _fill(duplicates: list[tuple[torch.Tensor, torch.Tensor]]) -> None:
    for duplicate, planted_seed in duplicates:
        duplicate.copy_(planted_seed)


def _leave_small_pieces() -> None:
    pieces = [torch.empty(size, dtype=torch.uint8) for size in _SMALL for _ in range(_PIECES)]
    pieces.clear()


def _fits(leaf: Any) -> bool:
    plain = type(leaf) is torch.Tensor and leaf.layout is torch.strided
    return plain and can_be_marked(leaf)
