"""Mapped: one arena as the candidate's process sees it, in host memory or on a device."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any, Protocol

import numpy as np
import torch

from assay.devices.cuda_driver import CudaDriver
from assay.worker.sandbox import syscalls


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

    def __init__(self, handle: bytes, driver: CudaDriver) -> None:
        self._driver = driver
        self._base = driver.open(handle)

    def write(self, offset: int, data: bytes) -> None:
        """Put bytes."""
        self._driver.write(self._base + offset, np.frombuffer(data, np.uint8))

    def read(self, offset: int, nbytes: int) -> bytes:
        """A copy of bytes."""
        return self._driver.read(self._base + offset, nbytes).tobytes()

    def tensor(self, offset: int, dtype: torch.dtype, count: int) -> torch.Tensor:
        """A flat tensor over the memory itself."""
        raw = _Raw(self._base + offset, count * dtype.itemsize)
        return torch.as_tensor(raw, device="cuda").view(dtype)

    def protect(self, start: int, length: int) -> None:
        """Nothing: a device has no such pages."""


class _Raw:
    """Bytes on a device, in the form in which libraries exchange them."""

    def __init__(self, pointer: int, nbytes: int) -> None:
        self.__cuda_array_interface__: dict[str, Any] = {
            "shape": (nbytes,),
            "typestr": "|u1",
            "data": (pointer, False),
            "strides": None,
            "version": 3,
        }
