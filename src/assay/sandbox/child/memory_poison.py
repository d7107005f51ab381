"""Poison: memory that is handed out holds a pattern, so that what is left unwritten shows.

The rule: glibc fills what it hands out where it is asked to. On some machines torch brings an
allocator of its own, which does not; there, blocks of the sizes that a call must return are taken,
filled and given back, and the call finds these.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache

import torch

from assay.sandbox.layers.syscalls import poison_allocations

_PATTERN = 0xFE  # what glibc fills with as well
_TRIED = 8192  # bytes
_LAID = 16 << 20  # bytes in all; small blocks lie many to a page, and any may be next
_FEWEST, _MOST = 2, 64  # blocks of one size
_LARGEST = 64 << 20  # bytes of one block


@contextlib.contextmanager
def poisoned(on: bool) -> Iterator[None]:
    """While active, glibc fills what it hands out."""
    if on:
        _fills_by_itself()  # before: finding out ends with the filling switched off
    poison_allocations(on)
    try:
        yield
    finally:
        poison_allocations(False)


def lay_poison(sizes: list[int]) -> None:
    """Free blocks of these sizes that hold the pattern, where the allocator does not fill them."""
    if _fills_by_itself():
        return
    taken = [
        torch.empty(size, dtype=torch.uint8).fill_(_PATTERN)
        for size in sizes
        if 0 < size <= _LARGEST
        for _ in range(max(_FEWEST, min(_MOST, _LAID // size)))
    ]
    taken.clear()


@cache
def _fills_by_itself() -> bool:
    poison_allocations(True)
    try:
        return bool((torch.empty(_TRIED, dtype=torch.uint8) == _PATTERN).all())
    finally:
        poison_allocations(False)
