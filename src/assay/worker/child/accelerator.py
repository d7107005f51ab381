"""Accelerator: what the runner asks of the device it shares with the candidate.

The rule: the driver's functions are taken before candidate code is loaded. A fault on a device
cannot be mended within the process, so it ends the process, and the host sees how.
"""

from __future__ import annotations

import os

import torch

from assay.devices.cuda_driver import PERSISTING_CACHE, CudaDriver
from assay.errors import DeviceError
from assay.worker.child.launch_gap import LaunchGap

_current_stream, _set_stream = torch.cuda.current_stream, torch.cuda.set_stream
_POISON = 255
_MOST_POISONED = 256 << 20


class Accelerator:
    """One CUDA device, shared with torch through its primary context."""

    def __init__(self, tf32: bool = False) -> None:
        self.driver = CudaDriver()
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cudnn.allow_tf32 = tf32
        torch.cuda.init()
        self.stream = _current_stream()
        self._persisting = self._set_aside()
        self.strayed = False  # whether a call ever left another stream current

    def take_back(self) -> None:
        """Make our stream current again: answers are taken in its order, whatever a call left."""
        if _current_stream() != self.stream:
            self.strayed = True
            _set_stream(self.stream)

    def lines(self) -> list[str]:
        """What a survey should know, `name<TAB>detail`."""
        left = ["torch.cuda.current_stream\tanother stream was left current"]
        size = self._set_aside()
        kept = [f"cuda.persisting_cache\t{self._persisting} -> {size} bytes"]
        changed = size != self._persisting
        return (left if self.strayed else []) + (kept if changed else [])

    def _set_aside(self) -> int:
        """Bytes of the cache; none on a device that knows no such limit."""
        try:
            return self.driver.limit(PERSISTING_CACHE)
        except DeviceError:
            return 0

    def finish(self) -> None:
        """Wait for all the work of every stream."""
        try:
            self.driver.synchronise()
        except DeviceError as error:
            os.write(2, f"\n{error}\n".encode())
            os.abort()

    def gap_picoseconds(self) -> int:
        """Between two pieces of work; 0 on a device on which no stream can be made to wait."""
        try:
            self._gap = LaunchGap(self.driver, self.stream.cuda_stream)  # its page stays pinned
            return self._gap.picoseconds()
        except DeviceError:
            return 0

    def poison(self, sizes: list[int]) -> None:
        """Leave memory that was written over and is free for the next who asks for as much."""
        taken = [
            torch.empty(max(1, size), dtype=torch.uint8, device="cuda").fill_(_POISON)
            for size in sizes
            if size <= _MOST_POISONED
        ]
        taken.clear()
