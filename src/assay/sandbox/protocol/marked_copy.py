"""Marked copy: a copy of an answer with a few false elements, which is known again when it comes
back.

The rule: where they are and what stands there follows from a seed, so that whoever finds them in
a candidate's answer knows where the candidate has found it.
"""

from __future__ import annotations

import random

import torch

_MARKED = 3  # elements of one copy
_LEAST_ELEMENTS = 64  # below that a look at a few elements is a look at most of them
_DTYPES = {
    *(torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.float16, torch.bfloat16, torch.float32, torch.float64),
}  # that every device computes with
_ENOUGH = 2  # of them: one may have been written over, one may be all that a bug left unwritten


def can_be_marked(answer: torch.Tensor) -> bool:
    """Whether it has elements enough, and of a kind that can be changed a little."""
    return answer.numel() >= _LEAST_ELEMENTS and answer.dtype in _DTYPES


def marked_copy(answer: torch.Tensor, seed: int) -> torch.Tensor:
    """A contiguous copy, but for a few elements."""
    duplicate = answer.detach().clone(memory_format=torch.contiguous_format)
    flat, places = duplicate.view(-1), _places(duplicate.numel(), seed)
    flat[places] = _false(flat[places])
    return duplicate


def is_marked_copy(found: torch.Tensor, answer: torch.Tensor, seed: int) -> bool:
    """Whether this is that copy, bit for bit where it is marked.

    Who answers wrongly for reasons of its own does not write three times an element and one more at
    secret places; but a byte has few values, so that all of them must be right there.
    """
    alike = found.shape == answer.shape and found.dtype == answer.dtype
    if not (alike and can_be_marked(answer)):
        return False
    places = _places(answer.numel(), seed)
    true, got = (t.reshape(-1)[places] for t in (answer, found))
    false = _false(true)
    differing = false != true
    taken = int((differing & (got == false)).sum())
    needed = int(differing.sum()) if answer.element_size() == 1 else _ENOUGH
    return taken >= max(_ENOUGH, needed)


def _false(values: torch.Tensor) -> torch.Tensor:
    return ~values if values.dtype is torch.bool else values * 3 + 1


def _places(elements: int, seed: int) -> list[int]:
    rng = random.Random(seed)
    return sorted({rng.randrange(elements) for _ in range(_MARKED)})
