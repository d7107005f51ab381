"""Trained inputs: the inputs of a call as a training loop hands them over.

The rule: the memory is the same, and so are strides and answer; only what torch records is
otherwise. `view_as` would give a lone row, cut out of a wider matrix, the stride of its length.
"""

from __future__ import annotations

import itertools
from typing import Any

import torch

_turns = itertools.count()


def trained_inputs(inputs: list[Any]) -> list[Any]:
    """The same memory, as a training loop hands it over; one tensor given twice stays one.

    In every other call they are what another operation returned, as inside of a network.
    """
    made: dict[int, Any] = {}
    computed = next(_turns) % 2 == 0
    for value in inputs:
        tensor = isinstance(value, torch.Tensor)
        if tensor and (value.is_floating_point() or value.is_complex()):
            leaf = value.detach().requires_grad_(True)
            made.setdefault(id(value), leaf[...] if computed else leaf)
    return [made.get(id(value), value) for value in inputs]
