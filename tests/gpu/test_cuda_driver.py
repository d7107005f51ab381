"""The driver's memory: written, read, filled, shared with another process."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from assay.devices.cuda_driver import HANDLE_BYTES, CudaDriver
from assay.errors import DeviceError

# Opens the allocation, says what its first bytes are, and writes others.
_OTHER = """
import sys
import numpy as np
from assay.devices.cuda_driver import CudaDriver
driver = CudaDriver()
pointer = driver.open(bytes.fromhex(sys.argv[1]))
print(driver.read(pointer, 4).tolist())
driver.write(pointer, np.array([9, 8, 7, 6], np.uint8))
"""


def test_what_is_written_is_read(driver: CudaDriver) -> None:
    data = np.arange(1000, dtype=np.uint8)
    pointer = driver.allocate(4096)
    try:
        driver.fill(pointer, 0xFF, 4096)
        driver.write(pointer + 100, data)
        assert (driver.read(pointer + 100, 1000) == data).all()
        assert set(driver.read(pointer, 100)) == {0xFF}
        assert set(driver.read(pointer + 1100, 2996)) == {0xFF}
    finally:
        driver.free(pointer)


def test_memory_counts_what_is_taken(driver: CudaDriver) -> None:
    before, total = driver.memory()
    pointer = driver.allocate(2 << 30)
    try:  # a process that ends meanwhile gives some of its own back
        assert before - driver.memory()[0] >= 1 << 30
        assert before <= total
    finally:
        driver.free(pointer)


def test_another_process_sees_the_same_memory(driver: CudaDriver) -> None:
    pointer = driver.allocate(1 << 21)
    try:
        driver.write(pointer, np.array([1, 2, 3, 4], np.uint8))
        handle = driver.share(pointer)
        assert len(handle) == HANDLE_BYTES
        command = [sys.executable, "-c", _OTHER, handle.hex()]
        told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert told.stdout.strip() == "[1, 2, 3, 4]", told.stderr
        assert driver.read(pointer, 4).tolist() == [9, 8, 7, 6]
    finally:
        driver.free(pointer)


def test_a_failure_says_what_the_driver_says(driver: CudaDriver) -> None:
    with pytest.raises(DeviceError, match="out of memory"):
        driver.allocate(1 << 50)
