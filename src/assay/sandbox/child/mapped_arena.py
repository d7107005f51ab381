"""MappedArena: one arena as the candidate's process sees it, in host memory or on a device."""

from __future__ import annotations

import ctypes
import mmap
from typing import Protocol

import numpy as np
import torch

from assay.devices.driver import Accelerator
from assay.sandbox.layers import syscalls


class Mapped(Protocol):
    """Bytes by their offset, and tensors over them."""

    def write(self, offset: int, data: bytes) -> None:
        """Put bytes."""
        ...

    def read(self, offset: int, nbytes: int) -> bytes:
        """A copy of bytes."""
        ...

    def tensor(self, offset: int, dtype: torch.dtype, count: int) -> torch.Tensor:
        """A flat tensor over the memory itself; `count` is not zero."""
        ...

    def protect(self, start: int, length: int) -> None:
        """Take away all access to whole pages."""
        ...


class HostMapped:
    """Shared memory of the host."""

    def __init__(self, descriptor: int, size: int) -> None:
        self.map = mmap.mmap(descriptor, size)

    def write(self, offset: int, data: bytes) -> None:
        """Put bytes."""
        self.map[offset : offset + len(data)] = data

    def read(self, offset: int, nbytes: int) -> bytes:
        """A copy of bytes."""
        return self.map[offset : offset + nbytes]

    def tensor(self, offset: int, dtype: torch.dtype, count: int) -> torch.Tensor:
        """A flat tensor over the memory itself."""
        return torch.frombuffer(self.map, dtype=dtype, count=count, offset=offset)

    def protect(self, start: int, length: int) -> None:
        """Take away all access to whole pages."""
        base = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
        syscalls.mprotect_none(base + start, length)


class DeviceMapped:
    """Device memory of the host's, opened by its handle."""

    def __init__(self, handle: bytes, accelerator: Accelerator) -> None:
        self._accelerator = accelerator
        self._driver = accelerator.driver
        self._base = self._driver.open(handle)

    def write(self, offset: int, data: bytes) -> None:
        """Put bytes."""
        self._driver.write(self._base + offset, np.frombuffer(data, np.uint8))

    def read(self, offset: int, nbytes: int) -> bytes:
        """A copy of bytes."""
        return self._driver.read(self._base + offset, nbytes).tobytes()

    def tensor(self, offset: int, dtype: torch.dtype, count: int) -> torch.Tensor:
        """A flat tensor over the memory itself."""
        nbytes = count * dtype.itemsize
        return self._accelerator.bytes_at(self._base + offset, nbytes).view(dtype)

    def protect(self, start: int, length: int) -> None:
        """Nothing: a device has no such pages."""
