"""DeviceArena: device memory that the host owns and the child opens by a handle.

The rule: a device has no inaccessible pages, so every region stands between wide bands of the
pattern, which is NaN to whoever reads it and broken by whoever writes it. The driver may return
before its writes have arrived, and another process is not ordered behind them: `settle` comes
before the child goes on. Short runs are put off until then, or until something else is asked.
"""

from __future__ import annotations

import contextlib

import torch

from assay.devices.driver import Driver
from assay.devices.pending_writes import PendingWrites
from assay.errors import DeviceError
from assay.sandbox.host.arena import POISON, Bytes, Edge, Region

_BAND = 4096
_ALIGNMENT = 256  # what every allocator of a GPU grants
_VECTOR = 16  # the widest access of one thread: data may be taken to start there, wherever it ends


class DeviceArena:
    """One allocation with a bump allocator."""

    descriptors: tuple[int, ...] = ()

    def __init__(self, number: int, size: int, driver: Driver) -> None:
        self.number = number
        self.size = _rounded(size, _ALIGNMENT)
        self._driver = driver
        driver.enter()
        self._base = driver.allocate(self.size)
        driver.fill(self._base, POISON, self.size)  # an earlier candidate's answers may lie there
        self.handle = driver.share(self._base)
        self._next = 0
        self._pending = PendingWrites()

    def place(self, nbytes: int, edge: Edge) -> Region:
        """Room for `nbytes` between two bands; at their END it is aligned no more than need be."""
        start = self._next
        inner = _rounded(nbytes, _ALIGNMENT)
        lead = _BAND + ((inner - nbytes) // _VECTOR * _VECTOR if edge is Edge.END else 0)
        size = inner + 2 * _BAND
        if start + size > self.size:
            raise MemoryError(f"arena of {self.size} bytes is full")
        self._next = start + size
        return Region(self.number, start, size, start + lead, nbytes)

    def room(self) -> int:
        """Bytes that are still free."""
        return self.size - self._next

    def new_guards(self) -> tuple[tuple[int, int], ...]:
        """None: a device has none."""
        return ()

    def write(self, offset: int, data: Bytes) -> None:
        """Put bytes."""
        self._enter()
        self._driver.write(self._base + offset, data)

    def write_soon(self, offset: int, data: Bytes) -> None:
        """Put a few bytes, which are there after `settle`."""
        self._pending.add(offset, data)

    def settle(self) -> None:
        """Wait until all that was put or filled is there."""
        self._enter()
        self._driver.synchronise()

    def read(self, offset: int, nbytes: int) -> Bytes:
        """A copy of bytes as they are now."""
        self._enter()
        return self._driver.read(self._base + offset, nbytes)

    def copy_in(self, offset: int, data: torch.Tensor) -> None:
        """Put bytes of the device; they are there after `settle`."""
        if data.numel():
            self._enter()
            self._driver.tensor(self._base + offset, data.numel()).copy_(data)

    def copy_out(self, offset: int, nbytes: int) -> torch.Tensor:
        """A copy of bytes as they are now, which stays on the device."""
        self.settle()
        return self._driver.tensor(self._base + offset, nbytes).clone()

    def fill(self, offset: int, nbytes: int) -> None:
        """Put the pattern."""
        self._enter()
        self._driver.fill(self._base + offset, POISON, nbytes)

    def close(self) -> None:
        """Give the memory back."""
        with contextlib.suppress(DeviceError):
            self._driver.enter()
            self._driver.free(self._base)

    def _enter(self) -> None:
        """Whoever comes next finds what was put off."""
        self._driver.enter()
        for places, words in self._pending.take():
            self._driver.scatter(self._base, self.size, places, words)


def _rounded(nbytes: int, to: int) -> int:
    return max(to, -(-nbytes // to) * to)
