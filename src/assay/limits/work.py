"""Work: the bytes that must move and the arithmetic that must be done, whoever does it.

The rule: every number is a lower bound. An input is read once however often the reference reads it,
a table only as far as it is looked up, an intermediate result not at all; of the arithmetic only
products count (matrices, convolutions, attention, recurrent layers), because everything else can be
fused into them. What no result depends on costs nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import torch

Storage = int


@dataclass
class Work:
    """What one call needs."""

    bytes_read: int = 0
    bytes_written: int = 0
    flops: Counter[str] = field(default_factory=Counter)  # by the operands' dtype
    elementwise: int = 0  # elements made by everything that is no product; not in any bound
    bytes_kept: int = 0  # of those read: parameters and buffers, which a cache may still hold

    @property
    def bytes(self) -> int:
        """Bytes that must move to or from memory."""
        return self.bytes_read + self.bytes_written


@dataclass(frozen=True)
class Read:
    """Elements of one view of some memory."""

    storage: Storage
    view: tuple[int, tuple[int, ...], tuple[int, ...]]
    elements: int

    @classmethod
    def of(cls, tensor: torch.Tensor, most: int | None = None) -> Read:
        """All distinct elements, or `most` of them where only so many are looked up."""
        view = (int(tensor.storage_offset()), tuple(tensor.shape), tuple(tensor.stride()))
        count = distinct(tensor)
        return cls(storage(tensor), view, count if most is None else min(count, most))


@dataclass(frozen=True)
class Operation:
    """What one operation takes and makes, by the memory it lies in."""

    made: frozenset[Storage]
    taken: frozenset[Storage]
    reads: tuple[Read, ...] = ()
    dtype: str = ""
    flops: int = 0
    elements: int = 0


def storage(tensor: torch.Tensor) -> Storage:
    """The memory a tensor lies in; views of one tensor share it."""
    return int(tensor.untyped_storage()._cdata)


def distinct(tensor: torch.Tensor) -> int:
    """Elements, those that an expanded dimension repeats counted once."""
    count = 1
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        count *= size if stride or size == 0 else 1
    return count


def dtype_name(tensor: torch.Tensor) -> str:
    """`float32` and the like."""
    return str(tensor.dtype).removeprefix("torch.")
