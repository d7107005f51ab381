"""Accelerator: what the runner asks of the device it shares with the candidate.

The rule: the driver's functions are taken before candidate code is loaded. A fault on a device
cannot be mended within the process, so it ends the process, and the host sees how.
"""

from __future__ import annotations

import os

import torch

from assay.devices.cuda_driver import CudaDriver
from assay.errors import DeviceError

_POISON = 255
_MOST_POISONED = 256 << 20


class Accelerator:
    """One CUDA device, shared with torch through its primary context."""

    def __init__(self, tf32: bool = False) -> None:
        self.driver = CudaDriver()
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cudnn.allow_tf32 = tf32
        torch.cuda.init()

    def finish(self) -> None:
        """Wait for all the work of every stream."""
        try:
            self.driver.synchronise()
        except DeviceError as error:
            os.write(2, f"\n{error}\n".encode())
            os.abort()

    def poison(self, sizes: list[int]) -> None:
        """Leave memory that was written over and is free for the next who asks for as much."""
        taken = [
            torch.empty(max(1, size), dtype=torch.uint8, device="cuda").fill_(_POISON)
            for size in sizes
            if size <= _MOST_POISONED
        ]
        taken.clear()
