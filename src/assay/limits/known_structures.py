"""Structured: matrices known to be diagonal or triangular, and what a product with them needs.

The rule: what a factory made zero need not be multiplied. A structure is only known where the trace
saw it being made.
"""

from __future__ import annotations

from enum import StrEnum

import torch
from torch.utils.weak import WeakTensorKeyDictionary

_MAKERS = {"triu": "upper", "tril": "lower", "diag_embed": "diagonal"}


class Shape(StrEnum):
    """Where a matrix may differ from zero."""

    UPPER = "upper"
    LOWER = "lower"
    DIAGONAL = "diagonal"


class Structures:
    """What is known of the tensors of one trace."""

    def __init__(self) -> None:
        self._known = WeakTensorKeyDictionary()

    def of(self, tensor: torch.Tensor) -> Shape | None:
        """The structure of a matrix, where one is known."""
        found = self._known.get(tensor)
        return Shape(found) if found is not None else None

    def note(self, operation: str, result: object) -> None:
        """An operation that may have made one."""
        if operation in _MAKERS and isinstance(result, torch.Tensor):
            self._known[result] = Shape(_MAKERS[operation])

    def elements(self, tensor: torch.Tensor) -> int | None:
        """How many elements may differ from zero; None where all may."""
        shape = self.of(tensor)
        if shape is None or tensor.dim() < 2:
            return None
        rows, columns = tensor.shape[-2:]
        batch = tensor.numel() // max(1, rows * columns)
        short = min(rows, columns)
        if shape is Shape.DIAGONAL:
            return batch * short
        return batch * (short * (short + 1) // 2 + abs(rows - columns) * short)

    def share(self, left: torch.Tensor, right: torch.Tensor) -> float:
        """The part of a product's arithmetic that meets no zero."""
        shapes = {self.of(left), self.of(right)}
        if Shape.DIAGONAL in shapes:
            return 1.0 / max(1, left.shape[-1])
        if shapes in ({Shape.UPPER}, {Shape.LOWER}):
            return 1.0 / 6.0
        return 1.0 if shapes == {None} else 0.5 if None in shapes else 1.0 / 3.0
