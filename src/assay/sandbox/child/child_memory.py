"""Memory: the child's view of the shared arenas: tensors over them, guard pages, the statement."""

from __future__ import annotations

import math
import os
from dataclasses import replace

import torch

from assay.devices.driver import Accelerator
from assay.sandbox.child.mapped_arena import DeviceMapped, HostMapped, Mapped
from assay.sandbox.protocol.replies import OutputFlag, OutputHeader
from assay.sandbox.protocol.requests import (
    CONTROL_ARENA,
    STATEMENT_BYTES,
    MapArena,
    Protect,
    Slot,
    View,
)


class Memory:
    """Arenas by number, and the one tensor object that stands for each view."""

    def __init__(self, accelerator: Accelerator | None = None, device: str = "cpu") -> None:
        self.accelerator = accelerator
        self.device = torch.device(device)
        self._maps: dict[int, Mapped] = {}
        self._tensors: dict[View, torch.Tensor] = {}

    def map(self, request: MapArena, descriptors: list[int]) -> None:
        """Map an arena; its descriptor is closed again."""
        if request.handle:
            assert self.accelerator is not None
            self._maps[request.arena] = DeviceMapped(request.handle, self.accelerator)
            return
        self._maps[request.arena] = HostMapped(descriptors[0], request.size)
        os.close(descriptors[0])

    def protect(self, request: Protect) -> None:
        """Take away all access to byte ranges (whole pages)."""
        for start, length in request.ranges:
            self._maps[request.arena].protect(start, length)

    def host_map(self, arena: int) -> HostMapped:
        """An arena that is known to be the host's."""
        mapped = self._maps[arena]
        assert isinstance(mapped, HostMapped)
        return mapped

    def tensor(self, view: View) -> torch.Tensor:
        """The tensor object of a view: the same one every time unless the view is fresh."""
        if view.fresh:
            return self._make(view)
        if view not in self._tensors:
            self._tensors[view] = self._make(view)
        return self._tensors[view]

    def write(self, slot: Slot, data: bytes) -> None:
        """Put bytes at the head of a slot."""
        self._maps[slot.arena].write(slot.offset, data)

    def describe(self, slot: Slot, header: OutputHeader) -> None:
        """Put an output's header where it belongs."""
        arena, offset = slot.head
        self._maps[arena].write(offset, header.pack())

    def mark(self, slot: Slot, flag: OutputFlag) -> None:
        """Add a flag to the header of an output."""
        arena, offset = slot.head
        header = OutputHeader.unpack(self._maps[arena].read(offset, OutputHeader.BYTES))
        if header is not None:
            self.describe(slot, replace(header, flags=header.flags | flag))

    def flat(self, slot: Slot, dtype: torch.dtype, count: int) -> torch.Tensor:
        """A one-dimensional tensor over a slot's room."""
        return self._maps[slot.arena].tensor(slot.offset, dtype, count)

    def state(self, text: str) -> None:
        """Leave a bounded text where the host finds it."""
        control = self._maps.get(CONTROL_ARENA)
        if control is None:
            return
        data = text.encode("utf-8", "replace")[: STATEMENT_BYTES - 4]
        control.write(0, len(data).to_bytes(4, "little") + data)

    def _make(self, view: View) -> torch.Tensor:
        dtype = getattr(torch, view.dtype)
        if math.prod(view.shape) == 0:
            return torch.empty(view.shape, dtype=dtype, device=self.device)
        span = 1 + sum((n - 1) * s for n, s in zip(view.shape, view.strides, strict=True))
        start = view.offset - view.lead * dtype.itemsize
        count = span + view.lead
        base = self._maps[view.arena].tensor(start, dtype, count)
        return base.as_strided(view.shape, view.strides, view.lead)
