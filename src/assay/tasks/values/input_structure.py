"""Structure: what the task's own generator promises about an input.

The rule: a promise is kept by every redraw. A kernel for triangular matrices may rely on the zeros;
asking it about a full matrix would be asking another task.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

import torch

FEW_VALUES = 16
CORNER = 128  # elements a side
SPARSE_SHARE = 0.01
_SUM_TOLERANCE = 1e-3


class Structure(StrEnum):
    """How free the values of an input are."""

    FREE = "free"
    ZEROS = "zeros"  # exact zeros at places that belong to the task, such as a triangle
    SYMMETRIC = "symmetric"
    POSITIVE = "positive"  # the task has no answer for negative numbers: a variance, a root
    COMPLEX = "complex"  # as free, in both of its parts
    FIXED = "fixed"  # labels, probabilities, sorted edges, unit vectors: only the own generator


def structure_of(tensor: torch.Tensor) -> Structure:
    """The promise seen in one own draw. Floats of eight bits are codes: torch has no arithmetic."""
    if tensor.is_complex() and tensor.numel():
        parts = {structure_of(part) for part in (tensor.real, tensor.imag)}
        return Structure.COMPLEX if parts == {Structure.FREE} else Structure.FIXED
    if not tensor.is_floating_point() or tensor.numel() == 0 or tensor.element_size() == 1:
        return Structure.FIXED
    corner, rows = _corner(tensor), _rows(tensor)
    if _is_discrete(corner) or _is_normalised(rows) or _is_sorted(corner):
        return Structure.FIXED
    if _is_symmetric(corner) and tensor.shape[-1] == tensor.shape[-2]:
        return Structure.SYMMETRIC
    zeros = float((corner == 0).double().mean())
    return Structure.ZEROS if zeros > SPARSE_SHARE else Structure.FREE


def with_domains(
    shapes: Sequence[Structure], own: Sequence[Any], answers: Callable[[list[Any]], bool]
) -> tuple[Structure, ...]:
    """`shapes`, with inputs marked whose sign the task needs: `answers` says where it has answers.

    A generator that happens to draw from [0, 1) promises nothing as long as negative numbers work.
    """
    found = list(shapes)
    for index, value in enumerate(own):
        if found[index] is not Structure.FREE or not bool((value >= 0).all()):
            continue
        negated = [-v if i == index else v for i, v in enumerate(own)]
        if not answers(negated) and answers(list(own)):
            found[index] = Structure.POSITIVE
    return tuple(found)


def _corner(tensor: torch.Tensor) -> torch.Tensor:
    """The last corner of the last matrix: it shows a triangle, a symmetry, a set of labels."""
    matrix = tensor.detach()
    while matrix.dim() > 2:
        matrix = matrix[-1]
    for dim in range(matrix.dim()):
        matrix = matrix.narrow(
            dim, max(0, matrix.shape[dim] - CORNER), min(matrix.shape[dim], CORNER)
        )
    return matrix.double()


def _rows(tensor: torch.Tensor) -> torch.Tensor:
    """A few whole rows."""
    rows = tensor.detach().reshape(-1, tensor.shape[-1]) if tensor.dim() else tensor.view(1, 1)
    return rows[-8:].double()


def _is_discrete(values: torch.Tensor) -> bool:
    """A few distinct values, or whole numbers only: labels, signs, masks, codes."""
    if values.numel() < 2:
        return False
    whole = bool((values == values.round()).all())
    few = values.numel() > 4 * FEW_VALUES and len(values.unique()) <= FEW_VALUES
    return whole or few


def _is_normalised(values: torch.Tensor) -> bool:
    """Rows that sum to one, or that have length one."""
    if values.shape[-1] < 2:
        return False
    sums, lengths = values.sum(-1), values.square().sum(-1)
    near_one = (sums - 1).abs().max() < _SUM_TOLERANCE and values.min() >= 0
    return bool(near_one) or bool((lengths - 1).abs().max() < _SUM_TOLERANCE)


def _is_sorted(values: torch.Tensor) -> bool:
    """Ascending along the last dimension, long enough not to be chance."""
    if values.dim() < 1 or values.shape[-1] < 8:
        return False
    return bool((values.diff(dim=-1) >= 0).all())


def _is_symmetric(values: torch.Tensor) -> bool:
    if values.dim() < 2 or values.shape[-1] != values.shape[-2] or values.shape[-1] < 2:
        return False
    return torch.equal(values, values.transpose(-1, -2))
