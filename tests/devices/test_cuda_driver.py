"""The driver's own interface, with a library that was compiled for the test."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.devices import cuda_driver
from assay.devices.cuda_driver import CudaDriver
from assay.devices.idle_probe import BEYOND_US, IdleProbe
from assay.errors import DeviceError

_BUSY = 3  # threads that compute
_LOOKS = 15


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CudaDriver:
    source, built = Path(__file__).with_name("stub_cuda.cpp"), tmp_path / "libcuda_stub.so"
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", built, source], check=True)
    monkeypatch.setattr(cuda_driver, "_LIBRARY", str(built))
    return CudaDriver()


@pytest.fixture
def computing() -> Iterator[None]:
    """Threads of this process that compute without a pause, and long turns for each."""
    over, interval_s = threading.Event(), sys.getswitchinterval()

    def compute() -> None:
        while not over.is_set():
            sum(range(1000))

    threads = [threading.Thread(target=compute) for _ in range(_BUSY)]
    sys.setswitchinterval(0.02)
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(interval_s)


@pytest.mark.usefixtures("computing")
def test_a_device_at_rest_is_at_rest_whatever_other_threads_of_the_judge_compute(
    driver: CudaDriver,
) -> None:
    idle_probe = IdleProbe(driver)
    assert statistics.median(idle_probe.look_us() for _ in range(_LOOKS)) < BEYOND_US
    assert not idle_probe.busy_before and idle_probe.surely_busy_us() is None


def test_a_call_that_fails_says_what_the_driver_says(driver: CudaDriver) -> None:
    driver.fill(4096, 7, 16)
    with pytest.raises(DeviceError, match=r"cuMemsetD8_v2: invalid argument \(CUDA error 1\)"):
        driver.fill(1, 7, 16)
