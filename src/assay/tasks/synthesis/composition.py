"""Composition: one drawn task, before it is text.

The rule: everything that the file says follows from these fields, and `chain` tells two of them
apart whatever their sizes and dtypes are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Composition:
    """Inputs, steps, sizes and dtype."""

    seed: int
    number: int  # among the compositions of the seed
    dtype: str
    sizes: Mapping[str, int]
    inputs: Mapping[str, str]  # each with the expression that draws it, in float32
    steps: tuple[str, ...]  # expressions: each is the next value of `x`
    natives: tuple[str, ...]  # the native tasks whose operators these are
    layer: str = ""  # of the constructor, where there is one

    @property
    def name(self) -> str:
        """The stem of its file."""
        return f"s{self.seed}_{self.number:03d}_{'_'.join(self.natives)}"

    @property
    def chain(self) -> str:
        """What it computes, in one line."""
        return "; ".join(self.steps)
