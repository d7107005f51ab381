"""Relation: what two calls of one function have to do with each other.

It turns inputs into other inputs, and foretells the other answer, or a part of it, from the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

Tensors = tuple[torch.Tensor, ...]
Transform = Callable[[Sequence[Any]], tuple[Any, ...]]
Predict = Callable[[Tensors], Tensors]


@dataclass(frozen=True)
class Relation:
    """One relation between the calls f(base) and f(transform(base))."""

    name: str
    transform: Transform
    predict: Predict  # from the first outputs: `part` of the other ones
    base: Transform = tuple  # prepares drawn inputs where the relation needs special ones
    part: Predict = tuple
