"""MemoryTaken: the memory that a caller takes between a call and the reading of its result.

The rule: a result lies in memory that is nobody else's. What was freed with whoever returned it is
handed out again here and filled; unfilled it often keeps the answer, and would be read as one.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Iterable
from typing import Any

import torch

_PATTERN = 0xFE
_BLOCKS = 4  # of each size: the first may be another's that was freed before
_LARGEST = 64 << 20  # bytes of one block

_libc = ctypes.CDLL(None)
_libc.malloc.argtypes, _libc.malloc.restype = [ctypes.c_size_t], ctypes.c_void_p
_libc.free.argtypes, _libc.free.restype = [ctypes.c_void_p], None


class MemoryTaken:
    """Filled blocks of the sizes of these results, until this goes."""

    def __init__(self, results: Iterable[Any]) -> None:
        blocks: list[int] = []
        weakref.finalize(self, _give_back, blocks)
        for size in map(_bytes, results):
            for _ in range(_BLOCKS if 0 < size <= _LARGEST else 0):
                if at := _libc.malloc(size):
                    blocks.append(at)
                    ctypes.memset(at, _PATTERN, size)


def _give_back(blocks: list[int]) -> None:
    for at in blocks:
        _libc.free(at)


def _bytes(result: Any) -> int:
    """Of one in host memory, past the end of its last element; none of what is no plain tensor."""
    plain = type(result) is torch.Tensor and result.layout is torch.strided and result.is_cpu
    return result.untyped_storage().nbytes() if plain and not result.is_nested else 0
