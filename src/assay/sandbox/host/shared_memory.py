"""SharedMemory: the regions of one session, by key, over as many arenas as they need.

The rule: the same key is the same address for the life of the session, and a region is reserved -
mapped and guarded in the child - before anything is written to it.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from assay.sandbox.host.arena import (
    OPEN_MARGIN,
    Arena,
    Bytes,
    Edge,
    HostArena,
    Region,
    bands_intact,
    poison,
    poison_bands,
)
from assay.sandbox.host.tensor_bytes import (
    dtype_name,
    equal_on_device,
    from_bytes,
    on_device,
    same_bytes,
    span,
    span_bytes,
    span_tensor,
)
from assay.sandbox.protocol.requests import MapArena, Protect, Slot, View

_ARENA_BYTES = 64 << 20  # of one arena at least
_MARGIN_BYTES = 1 << 16  # for guard pages and alignment
_MOST_LEAD = 3  # elements before a tensor that still belong to its storage

Attach = Callable[[MapArena | Protect, Arena], None]
MakeArena = Callable[[int, int], Arena]


class SharedMemory:
    """Reserves, writes, reads and checks regions."""

    def __init__(self, first_number: int, attach: Attach, make: MakeArena = HostArena) -> None:
        self._attach = attach
        self._make = make  # where tensors lie; records are always the host's
        self._next_number = first_number
        self._arenas: dict[int, Arena] = {}
        self._regions: dict[object, Region] = {}

    def reserve(self, key: object, nbytes: int, edge: Edge, on_host: bool = False) -> Region:
        """The region of a key, made when first asked for. The child may run for it."""
        if key not in self._regions:
            margin = 2 * OPEN_MARGIN if edge is Edge.OPEN else 0
            arena = self._arena_with_room(nbytes + margin, HostArena if on_host else self._make)
            region = arena.place(nbytes, edge)
            poison_bands(arena, region)
            self._regions[key] = region
        return self._regions[key]

    def guard(self) -> None:
        """Have the child close the guard pages laid since the last time."""
        for arena in self._arenas.values():
            guards = arena.new_guards()
            if guards:
                self._attach(Protect(arena.number, guards), arena)

    def put(self, region: Region, tensor: torch.Tensor) -> None:
        """Write a tensor's storage span."""
        arena = self._arenas[region.arena]
        if on_device(tensor):
            arena.copy_in(region.offset, span_tensor(tensor))
        else:
            arena.write(region.offset, span_bytes(tensor))

    def put_soon(self, region: Region, offset: int, data: Bytes) -> None:
        """Write a few bytes of a region; until `settle` has them there, `data` stays as it is."""
        self._arenas[region.arena].write_soon(region.offset + offset, data)

    def shared_bytes(self, region: Region) -> Bytes | None:
        """A region's data to be written in place; None where the memory is a device's."""
        arena = self._arenas[region.arena]
        return None if arena.handle else arena.read(region.offset, region.nbytes)

    def settle(self) -> None:
        """Wait until all that was written is there for the child to see."""
        for arena in self._arenas.values():
            arena.settle()

    def poison(self, region: Region) -> None:
        """Overwrite the whole region with the pattern."""
        poison(self._arenas[region.arena], region)

    def holds(self, region: Region, tensor: torch.Tensor) -> bool:
        """Whether the region still holds exactly this tensor's bytes."""
        arena = self._arenas[region.arena]
        if on_device(tensor):
            now = arena.copy_out(region.offset, region.nbytes)
            return equal_on_device(now, span_tensor(tensor))
        return same_bytes(arena.read(region.offset, region.nbytes), span_bytes(tensor))

    def held(self, region: Region, like: torch.Tensor) -> torch.Tensor:
        """What the region holds now, as a tensor of its own with the shape of `like`."""
        now = self._arenas[region.arena].read(region.offset, region.nbytes).copy()
        flat = from_bytes(now, dtype_name(like), (span(like),))
        return flat.as_strided(like.shape, like.stride()).contiguous()

    def bands_intact(self, region: Region) -> bool:
        """Whether nothing around the data was written."""
        return bands_intact(self._arenas[region.arena], region)

    def read(self, slot: Slot, size: int) -> Bytes:
        """A private copy of the first bytes of a slot."""
        found = self._arenas[slot.arena].read(slot.offset, size)
        return found if found.base is None else found.copy()

    def copy(self, slot: Slot, size: int) -> torch.Tensor:
        """The same, left on the device where the memory is a device's."""
        return self._arenas[slot.arena].copy_out(slot.offset, size)

    def close(self) -> None:
        """Give everything back."""
        for arena in self._arenas.values():
            arena.close()

    def _arena_with_room(self, nbytes: int, make: MakeArena) -> Arena:
        for arena in self._arenas.values():
            mine = bool(arena.handle) == (make is not HostArena)
            if mine and arena.room() >= nbytes + _MARGIN_BYTES:
                return arena
        arena = make(self._next_number, max(_ARENA_BYTES, nbytes + 2 * _MARGIN_BYTES))
        self._next_number += 1
        self._arenas[arena.number] = arena
        self._attach(MapArena(arena.number, arena.size, arena.handle), arena)
        return arena


def view(tensor: torch.Tensor, region: Region, fresh: bool) -> View:
    """How the child is told of a tensor in a region."""
    shape, strides = tuple(tensor.shape), tuple(tensor.stride())
    lead = min(int(tensor.storage_offset()), _MOST_LEAD)
    return View(region.arena, region.offset, shape, strides, dtype_name(tensor), fresh, lead)
