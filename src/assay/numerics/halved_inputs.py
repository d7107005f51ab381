"""Halving: inputs of which the second half along one dimension is not read.

The rule: shape, dtype and strides of the other inputs stay, so the reference can be asked what a
kernel that stops half way would answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import torch


class Filling(StrEnum):
    """What stands in for the half that is not read."""

    REPEATED = "repeated"  # the first half again: a mean over a sub-sample
    ZEROS = "zeros"  # a sum that stops half way


@dataclass(frozen=True)
class Halving:
    """Which inputs lose the second half of which dimension."""

    inputs: tuple[int, ...]
    dimension: int
    filling: Filling

    @property
    def text(self) -> str:
        """In words."""
        which = " and ".join(str(i) for i in self.inputs)
        noun = "input" if len(self.inputs) == 1 else "inputs"
        stand_in = "the first half again" if self.filling is Filling.REPEATED else "zeros"
        return f"{noun} {which} read half way along dimension {self.dimension}, then {stand_in}"

    def of(self, inputs: Sequence[Any]) -> list[Any] | None:
        """The halved inputs; None where one of them has no such half."""
        made = list(inputs)
        for i in self.inputs:
            if i >= len(made) or not _can_halve(made[i], self.dimension):
                return None
            made[i] = self._halved(made[i])
        return made

    def _halved(self, value: torch.Tensor) -> torch.Tensor:
        size = value.shape[self.dimension]
        lost = size // 2
        made = value.detach().clone()
        second = made.narrow(self.dimension, size - lost, lost)
        if self.filling is Filling.ZEROS:
            second.zero_()
        else:
            second.copy_(value.narrow(self.dimension, 0, lost))
        return made


def halvings(inputs: Sequence[Any]) -> Iterator[Halving]:
    """Sub-samples first: of all inputs along a dimension they share, then of each input alone."""
    tensors = [i for i, value in enumerate(inputs) if isinstance(value, torch.Tensor)]
    for filling in Filling:
        if len(tensors) > 1:
            for dimension in range(min(inputs[i].dim() for i in tensors)):
                if len({inputs[i].shape[dimension] for i in tensors}) == 1 and all(
                    _can_halve(inputs[i], dimension) for i in tensors
                ):
                    yield Halving(tuple(tensors), dimension, filling)
        for i in tensors:
            for dimension in range(inputs[i].dim()):
                if inputs[i].is_floating_point() and _can_halve(inputs[i], dimension):
                    yield Halving((i,), dimension, filling)


def _can_halve(value: Any, dimension: int) -> bool:
    return (
        isinstance(value, torch.Tensor)
        and value.dim() > dimension
        and value.shape[dimension] > 1
        and value.numel() > 0
    )
