"""Bait: memory that is free to take and looks like the answer, but for a few elements.

The rule: an honest kernel writes every element it returns and never meets the bait. Whoever looks
into memory that it was handed, finds the last answer there and returns it, returns the spoiled one.
"""

from __future__ import annotations

import random
from typing import Any

import torch

_COPIES = (1, 2, 4, 6)
_SPOILED = 3
_LEAST_ELEMENTS = 64  # below that a look at a few elements is a look at most of them


def lay_bait(results: list[Any], seed: int) -> list[torch.Tensor]:
    """Free copies of the last results, each with the same few elements spoiled.

    Where an allocator finds room is its own affair, so the number of copies changes from call to
    call, and so does whether something is held above them (the top of a heap may go back to the
    kernel). What is returned must be held as long as the bait is to lie.
    """
    rng = random.Random(seed)
    baits = [leaf for leaf in results if _fits(leaf)]
    copies = rng.choice(_COPIES)
    twins = [_spoiled(leaf, seed) for leaf in baits for _ in range(copies)]
    held = [leaf.detach().clone() for leaf in baits] if rng.random() < 0.7 else []
    twins.clear()  # freed here, all at once, and found by whoever allocates next
    return held


def _fits(leaf: Any) -> bool:
    plain = type(leaf) is torch.Tensor and leaf.layout is torch.strided
    return plain and leaf.numel() >= _LEAST_ELEMENTS and not leaf.is_complex()


def _spoiled(leaf: torch.Tensor, seed: int) -> torch.Tensor:
    twin = leaf.detach().clone(memory_format=torch.contiguous_format)
    flat, rng = twin.view(-1), random.Random(seed)
    for _ in range(_SPOILED):
        place = rng.randrange(flat.numel())
        flat[place] = ~flat[place] if leaf.dtype is torch.bool else flat[place] * 3 + 1
    return twin
