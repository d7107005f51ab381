"""TensorChannel: things that hold tensors, from a forked process to the one it was forked from.

The rule: a message is small and goes through a pipe, the tensors' bytes lie in memory that both
have mapped. Nothing is taken back: the memory lives as long as something that was read from it.

MessageReader: what a forked helper has sent, as the judge reads it.

The rule: who was interrupted in the middle of a message reads no other one, whose beginning nobody
could find.
"""

from __future__ import annotations

import io
import math
import mmap
import os
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import torch

from assay.exam.exam import Key


class MessageReader:
    """The reading end of a pipe in which every letter answers one question."""

    def __init__(self, connection: Connection, channel: TensorChannel) -> None:
        self._connection = connection
        self._channel = channel
        self._between_letters = True

    def has_message(self, patience_s: float = 0.0) -> bool:
        """Whether something has come, or comes soon."""
        return self._between_letters and self._connection.poll(patience_s)

    def arrived(self) -> Iterator[tuple[Key, Any]]:
        """All that has come. EOFError or OSError where nobody posts any more."""
        while self.has_message():
            self._between_letters = False
            key, message = self._connection.recv()
            self._between_letters = True
            yield key, self._channel.open(message)

    def close(self) -> None:
        """What is still in it is lost."""
        self._connection.close()


_ROOM_BYTES = 16 << 30  # of addresses; pages come when they are written
_ALIGNMENT = 64


class ChannelFull(OSError):
    """There is no room for another letter."""


@dataclass(frozen=True)
class TensorMessage:
    """A pickle whose tensors are places in the shared memory."""

    text: bytes


@dataclass(frozen=True)
class _TensorSlot:
    """Where the elements of one tensor lie."""

    start: int
    shape: tuple[int, ...]
    dtype: torch.dtype


class TensorChannel:
    """Made before the fork; one process posts, the other one opens."""

    def __init__(self) -> None:
        descriptor = os.memfd_create("tensor mail")
        try:
            os.ftruncate(descriptor, _ROOM_BYTES)
            self._memory = mmap.mmap(descriptor, _ROOM_BYTES)
        finally:
            os.close(descriptor)
        self._end = 0

    def post(self, value: Any) -> TensorMessage:
        """Write it down; of a tensor the values, the shape and the dtype."""
        text = io.BytesIO()
        _TensorPickler(text, self._pack).dump(value)
        return TensorMessage(text.getvalue())

    def open(self, message: TensorMessage) -> Any:
        """What was posted, its tensors in the shared memory."""
        return _TensorUnpickler(io.BytesIO(message.text), self._unpack).load()

    def _pack(self, tensor: torch.Tensor) -> _TensorSlot:
        start = -(-self._end // _ALIGNMENT) * _ALIGNMENT
        if start + tensor.nbytes > _ROOM_BYTES:
            raise ChannelFull("the expectations do not fit")
        slot = _TensorSlot(start, tuple(tensor.shape), tensor.dtype)
        self._unpack(slot).copy_(tensor.detach())
        self._end = start + tensor.nbytes
        return slot

    def _unpack(self, slot: _TensorSlot) -> torch.Tensor:
        count = math.prod(slot.shape)
        if count == 0:
            return torch.empty(slot.shape, dtype=slot.dtype)
        flat = torch.frombuffer(self._memory, dtype=slot.dtype, count=count, offset=slot.start)
        return flat.view(slot.shape)


class _TensorPickler(pickle.Pickler):
    """Has tensors packed."""

    def __init__(self, text: io.BytesIO, pack: Callable[[torch.Tensor], _TensorSlot]) -> None:
        super().__init__(text, protocol=pickle.HIGHEST_PROTOCOL)
        self._pack = pack

    def persistent_id(self, value: Any) -> _TensorSlot | None:
        return self._pack(value) if isinstance(value, torch.Tensor) else None


class _TensorUnpickler(pickle.Unpickler):
    """Has them unpacked. Reads nothing but what this process's own copy wrote."""

    def __init__(self, text: io.BytesIO, unpack: Callable[[_TensorSlot], torch.Tensor]) -> None:
        super().__init__(text)
        self._unpack = unpack

    def persistent_load(self, slot: _TensorSlot) -> torch.Tensor:
        return self._unpack(slot)
