"""Arena: memory that the host owns and the child maps.

The rule: the bytes of a region around its data carry a pattern that a stray write breaks. Host
memory can be neither shrunk nor grown (a shrunk mapping would kill the judge), and its regions
stand between inaccessible pages.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch

Bytes = npt.NDArray[np.uint8]
PAGE = mmap.PAGESIZE
POISON = 0xFF  # NaN in every float format, -1 in every integer one
_SEALS = 0x0001 | 0x0002 | 0x0004  # SEAL, SHRINK, GROW
_ALIGNMENT = 64  # bytes: a cache line
OPEN_MARGIN = 32 << 20  # bytes


class Edge(StrEnum):
    """Which edge of its pages data touches; a guard page lies beyond each."""

    START = "start"
    END = "end"
    MIDDLE = "middle"  # neither
    OPEN = "open"  # neither, with a margin on both sides so wide that stray reads survive


@dataclass(frozen=True)
class Region:
    """Pages between two guard pages, with data at the start, at the end, or in the middle."""

    arena: int
    start: int  # first byte of the pages
    pages_bytes: int
    offset: int  # first byte of the data
    nbytes: int

    @property
    def flush(self) -> bool:
        """True where the data touches a guard page."""
        end = self.offset + self.nbytes
        return self.offset == self.start or end == self.start + self.pages_bytes


class Arena(Protocol):
    """Room for regions, handed out one behind the other."""

    number: int
    size: int
    handle: bytes  # by which the child opens device memory; empty where a descriptor goes with it

    @property
    def descriptors(self) -> tuple[int, ...]:
        """What the child maps host memory by."""
        ...

    def place(self, nbytes: int, edge: Edge) -> Region:
        """Room for `nbytes` at an edge of its pages."""
        ...

    def room(self) -> int:
        """Bytes that are still free."""
        ...

    def new_guards(self) -> tuple[tuple[int, int], ...]:
        """Guard pages laid since the last call: the child must be told of them."""
        ...

    def write(self, offset: int, data: Bytes) -> None:
        """Put bytes; the child may look after `settle`."""
        ...

    def write_soon(self, offset: int, data: Bytes) -> None:
        """Put a few bytes, without waiting for anything."""
        ...

    def settle(self) -> None:
        """Wait until all that was put or filled is there."""
        ...

    def read(self, offset: int, nbytes: int) -> Bytes:
        """Bytes as they are now; a view where the memory is the host's."""
        ...

    def copy_in(self, offset: int, data: torch.Tensor) -> None:
        """Put bytes that lie on the device of the arena."""
        ...

    def copy_out(self, offset: int, nbytes: int) -> torch.Tensor:
        """A copy of bytes, on the device of the arena."""
        ...

    def fill(self, offset: int, nbytes: int) -> None:
        """Put the pattern."""
        ...

    def close(self) -> None:
        """Give the memory back."""
        ...


class HostArena:
    """A sealed memfd with a bump allocator; pages cost nothing until they are touched."""

    handle = b""

    def __init__(self, number: int, size: int) -> None:
        self.number = number
        self.size = whole_pages(size)
        self.descriptor = os.memfd_create("arena", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.descriptor, self.size)
        fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, _SEALS)
        self._map = mmap.mmap(self.descriptor, self.size)
        self.bytes: Bytes = np.frombuffer(self._map, dtype=np.uint8)
        self._next = 0
        self._guards: list[tuple[int, int]] = []

    def place(self, nbytes: int, edge: Edge) -> Region:
        """Room for `nbytes` between two guard pages, at an edge of the pages between them."""
        margin = {Edge.MIDDLE: _ALIGNMENT, Edge.OPEN: OPEN_MARGIN}.get(edge, 0)
        pages = max(PAGE, whole_pages(nbytes + 2 * margin))
        self._guard()
        start = self._take(pages)
        self._guard()
        offset = start + pages - nbytes if edge is Edge.END else start + margin
        return Region(self.number, start, pages, offset, nbytes)

    def room(self) -> int:
        """Bytes that are still free."""
        return self.size - self._next

    def new_guards(self) -> tuple[tuple[int, int], ...]:
        """Guard pages laid since the last call: the child must be told of them."""
        guards, self._guards = tuple(self._guards), []
        return guards

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The one behind the memory."""
        return (self.descriptor,)

    def write(self, offset: int, data: Bytes) -> None:
        """Put bytes."""
        self.bytes[offset : offset + data.nbytes] = data

    def write_soon(self, offset: int, data: Bytes) -> None:
        """Put bytes, at once."""
        self.write(offset, data)

    def settle(self) -> None:
        """Nothing is under way."""

    def read(self, offset: int, nbytes: int) -> Bytes:
        """Bytes as they are now, not a copy."""
        return self.bytes[offset : offset + nbytes]

    def copy_in(self, offset: int, data: torch.Tensor) -> None:
        """Put bytes."""
        self.write(offset, data.numpy())

    def copy_out(self, offset: int, nbytes: int) -> torch.Tensor:
        """A copy of bytes as they are now."""
        return torch.from_numpy(self.read(offset, nbytes).copy())

    def fill(self, offset: int, nbytes: int) -> None:
        """Put the pattern."""
        self.bytes[offset : offset + nbytes] = POISON

    def close(self) -> None:
        """Give the memory back."""
        del self.bytes
        with contextlib.suppress(BufferError):  # a view is still alive: it goes with the view
            self._map.close()
        os.close(self.descriptor)

    def _take(self, nbytes: int) -> int:
        start = self._next
        self._next += nbytes
        if self._next > self.size:
            raise MemoryError(f"arena of {self.size} bytes is full")
        return start

    def _guard(self) -> None:
        """One inaccessible page, shared with the neighbour where one was just laid."""
        if self._guards and sum(self._guards[-1]) == self._next:
            return
        self._guards.append((self._take(PAGE), PAGE))


def poison(arena: Arena, region: Region) -> None:
    """Fill all of a region with the pattern."""
    arena.fill(region.start, region.pages_bytes)


def poison_bands(arena: Arena, region: Region) -> None:
    """Fill only what lies around the data: the data is written before anyone reads it."""
    for start, nbytes in _bands(region):
        arena.fill(start, nbytes)


def bands_intact(arena: Arena, region: Region) -> bool:
    """Whether the pattern around the data still stands."""
    return all(bool((arena.read(*band) == POISON).all()) for band in _bands(region))


def _bands(region: Region) -> tuple[tuple[int, int], tuple[int, int]]:
    end, pages_end = region.offset + region.nbytes, region.start + region.pages_bytes
    return (region.start, region.offset - region.start), (end, pages_end - end)


def whole_pages(nbytes: int) -> int:
    """Bytes of the pages that hold `nbytes`."""
    return -(-nbytes // PAGE) * PAGE
