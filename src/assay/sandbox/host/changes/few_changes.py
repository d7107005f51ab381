"""FewChanges: single elements of tensors on a device that are other ones while somebody looks.

The rule: nothing is copied but the elements themselves. A tensor as large as a good part of the
device is changed where it lies, and is as it was when the look is over.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class FewChanges:
    """By tensor: places in it, each with the element that stands there."""

    elements: tuple[tuple[torch.Tensor, tuple[tuple[int, torch.Tensor], ...]], ...] = ()

    @contextlib.contextmanager
    def made(self) -> Iterator[None]:
        """The tensors hold them meanwhile; nobody else may use these."""
        before = [
            (flat, [(place, flat[place].clone()) for place, _ in changes])
            for flat, changes in self._flat
        ]
        try:
            for flat, changes in self._flat:
                for place, value in changes:
                    flat[place] = value
            yield
        finally:
            for flat, kept in before:
                for place, value in kept:
                    flat[place] = value

    @property
    def _flat(self) -> list[tuple[torch.Tensor, tuple[tuple[int, torch.Tensor], ...]]]:
        return [(tensor.view(-1), changes) for tensor, changes in self.elements]


NO_CHANGES = FewChanges()
