"""TensorMail: things that hold tensors, from a forked process to the one it was forked from.

The rule: a letter is small and goes through a pipe, the tensors' bytes lie in memory that both have
mapped. Nothing is taken back: the memory lives as long as something that was read from it.
"""

from __future__ import annotations

import io
import math
import mmap
import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

_ROOM_BYTES = 16 << 30  # of addresses; pages come when they are written
_ALIGNMENT = 64


class MailFull(OSError):
    """There is no room for another letter."""


@dataclass(frozen=True)
class Letter:
    """A pickle whose tensors are places in the shared memory."""

    text: bytes


@dataclass(frozen=True)
class _Parcel:
    """Where the elements of one tensor lie."""

    start: int
    shape: tuple[int, ...]
    dtype: torch.dtype


class TensorMail:
    """Made before the fork; one process posts, the other one opens."""

    def __init__(self) -> None:
        descriptor = os.memfd_create("tensor mail")
        try:
            os.ftruncate(descriptor, _ROOM_BYTES)
            self._memory = mmap.mmap(descriptor, _ROOM_BYTES)
        finally:
            os.close(descriptor)
        self._end = 0

    def post(self, value: Any) -> Letter:
        """Write it down; of a tensor the values, the shape and the dtype."""
        text = io.BytesIO()
        _Writer(text, self._pack).dump(value)
        return Letter(text.getvalue())

    def open(self, letter: Letter) -> Any:
        """What was posted, its tensors in the shared memory."""
        return _Reader(io.BytesIO(letter.text), self._unpack).load()

    def _pack(self, tensor: torch.Tensor) -> _Parcel:
        start = -(-self._end // _ALIGNMENT) * _ALIGNMENT
        if start + tensor.nbytes > _ROOM_BYTES:
            raise MailFull("the expectations do not fit")
        parcel = _Parcel(start, tuple(tensor.shape), tensor.dtype)
        self._unpack(parcel).copy_(tensor.detach())
        self._end = start + tensor.nbytes
        return parcel

    def _unpack(self, parcel: _Parcel) -> torch.Tensor:
        count = math.prod(parcel.shape)
        if count == 0:
            return torch.empty(parcel.shape, dtype=parcel.dtype)
        flat = torch.frombuffer(self._memory, dtype=parcel.dtype, count=count, offset=parcel.start)
        return flat.view(parcel.shape)


class _Writer(pickle.Pickler):
    """Has tensors packed."""

    def __init__(self, text: io.BytesIO, pack: Callable[[torch.Tensor], _Parcel]) -> None:
        super().__init__(text, protocol=pickle.HIGHEST_PROTOCOL)
        self._pack = pack

    def persistent_id(self, value: Any) -> _Parcel | None:
        return self._pack(value) if isinstance(value, torch.Tensor) else None


class _Reader(pickle.Unpickler):
    """Has them unpacked. Reads nothing but what this process's own copy wrote."""

    def __init__(self, text: io.BytesIO, unpack: Callable[[_Parcel], torch.Tensor]) -> None:
        super().__init__(text)
        self._unpack = unpack

    def persistent_load(self, parcel: _Parcel) -> torch.Tensor:
        return self._unpack(parcel)
