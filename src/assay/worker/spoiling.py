"""Spoiling: a copy of an answer with a few false elements, which is known again when it comes back.

The rule: where they are and what stands there follows from a seed, so that whoever finds them in
a candidate's answer knows where the candidate has found it.
"""

from __future__ import annotations

import random

import torch

_SPOILED = 3
_ENOUGH = 2  # of them: one may have been written over, one may be all that a bug left unwritten


def spoiled(answer: torch.Tensor, seed: int) -> torch.Tensor:
    """A contiguous copy, but for a few elements."""
    twin = answer.detach().clone(memory_format=torch.contiguous_format)
    flat = twin.view(-1)
    for place in _places(flat.numel(), seed):
        flat[place] = ~flat[place] if answer.dtype is torch.bool else flat[place] * 3 + 1
    return twin


def is_spoiled(found: torch.Tensor, answer: torch.Tensor, seed: int) -> bool:
    """Whether this is that copy, bit for bit where it is spoiled.

    Who answers wrongly for reasons of its own does not write three times an element and one more at
    secret places; but a byte has few values, so that all of them must be right there.
    """
    if found.shape != answer.shape or found.dtype != answer.dtype or not answer.numel():
        return False
    places = _places(answer.numel(), seed)
    true, false, got = (t.reshape(-1)[places] for t in (answer, spoiled(answer, seed), found))
    telling = false != true
    taken = int((telling & (got == false)).sum())
    needed = int(telling.sum()) if answer.element_size() == 1 else _ENOUGH
    return taken >= max(_ENOUGH, needed)


def _places(elements: int, seed: int) -> list[int]:
    rng = random.Random(seed)
    return sorted({rng.randrange(elements) for _ in range(_SPOILED)})
