"""Outputs: what one call of a reference returned, flattened and named.

The rule: nested results are flattened in order; then come the buffers the call changed, then the
inputs it changed in place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import torch

BUFFER_PREFIX = "buffer:"
UPDATED_PREFIX = "updated input:"  # the call must leave this value in the input
LEFT_OR_UPDATED_PREFIX = "left or updated input:"  # or the input as it was


@dataclass(frozen=True)
class Outputs:
    """Names and tensors, in the order of the result; buffers are named `buffer:NAME`."""

    names: tuple[str, ...]
    tensors: tuple[torch.Tensor, ...]


def flatten(value: Any, name: str = "output") -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor in a result; Python numbers count as tensors of no dimension."""
    if isinstance(value, torch.Tensor):
        yield name, value
    elif isinstance(value, bool | int | float | complex):
        yield name, torch.tensor(value)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from flatten(part, f"{name}.{key}")
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from flatten(part, f"{name}.{index}")
    elif is_dataclass(value) and not isinstance(value, type):
        for part in fields(value):
            yield from flatten(getattr(value, part.name), f"{name}.{part.name}")
    elif value is not None:
        raise TypeError(f"the reference returned {type(value).__name__}, which holds no tensor")


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Equal in shape, dtype and every value; NaN equals NaN."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.is_floating_point() or one.is_complex():
        return torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)
    return torch.equal(one, other)
