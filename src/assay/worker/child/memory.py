"""Memory: the child's view of the shared arenas: tensors over them, guard pages, the statement."""

from __future__ import annotations

import ctypes
import math
import mmap
import os
from dataclasses import replace

import torch

from assay.worker.protocol import (
    CONTROL_ARENA,
    STATEMENT_BYTES,
    MapArena,
    OutputFlag,
    OutputHeader,
    Protect,
    Slot,
    View,
)
from assay.worker.sandbox import syscalls


class Memory:
    """Arenas by number, and the one tensor object that stands for each view."""

    def __init__(self) -> None:
        self._maps: dict[int, mmap.mmap] = {}
        self._tensors: dict[View, torch.Tensor] = {}

    def map(self, request: MapArena, descriptor: int) -> None:
        """Map an arena; its descriptor is closed again."""
        self._maps[request.arena] = mmap.mmap(descriptor, request.size)
        os.close(descriptor)

    def protect(self, request: Protect) -> None:
        """Take away all access to byte ranges (whole pages)."""
        base = ctypes.addressof(ctypes.c_char.from_buffer(self._maps[request.arena]))
        for start, length in request.ranges:
            syscalls.mprotect_none(base + start, length)

    def tensor(self, view: View) -> torch.Tensor:
        """The tensor object of a view: the same one every time unless the view is fresh."""
        if view.fresh:
            return self._make(view)
        if view not in self._tensors:
            self._tensors[view] = self._make(view)
        return self._tensors[view]

    def write(self, slot: Slot, data: bytes) -> None:
        """Put bytes at the head of a slot."""
        self._maps[slot.arena][slot.offset : slot.offset + len(data)] = data

    def mark(self, slot: Slot, flag: OutputFlag) -> None:
        """Add a flag to the header that stands at a slot."""
        data = self._maps[slot.arena]
        header = OutputHeader.unpack(data[slot.offset : slot.offset + OutputHeader.BYTES])
        if header is not None:
            self.write(slot, replace(header, flags=header.flags | flag).pack())

    def flat(self, slot: Slot, dtype: torch.dtype, count: int) -> torch.Tensor:
        """A one-dimensional tensor over a slot's room."""
        return torch.frombuffer(
            self._maps[slot.arena], dtype=dtype, count=count, offset=slot.offset
        )

    def state(self, text: str) -> None:
        """Leave a bounded text where the host finds it."""
        control = self._maps.get(CONTROL_ARENA)
        if control is None:
            return
        data = text.encode("utf-8", "replace")[: STATEMENT_BYTES - 4]
        control[0:4] = len(data).to_bytes(4, "little")
        control[4 : 4 + len(data)] = data

    def _make(self, view: View) -> torch.Tensor:
        dtype = getattr(torch, view.dtype)
        if math.prod(view.shape) == 0:
            return torch.empty(view.shape, dtype=dtype)
        span = 1 + sum((n - 1) * s for n, s in zip(view.shape, view.strides, strict=True))
        start = view.offset - view.lead * dtype.itemsize
        count = span + view.lead
        base = torch.frombuffer(self._maps[view.arena], dtype=dtype, count=count, offset=start)
        return base.as_strided(view.shape, view.strides, view.lead)
