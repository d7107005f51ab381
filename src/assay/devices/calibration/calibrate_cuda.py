"""What a CUDA device can do, measured in about six seconds.

The rule: normal-random data everywhere, because zeros draw less power and run faster than any real
data; the best burst is the rate, the median stands beside it; noise is the worst of several.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import torch

from assay.data.device import Calibration, Device, DeviceReading, Rates
from assay.devices.burst import Bursts, BurstTimer, EventTimer, Work, bursts, calls_a_burst
from assay.devices.launch_cost import launch_cost
from assay.errors import HostError

_SEED = 20250
_COPY_BYTES = 2**30
_LOAD_BURSTS = 6  # thirty milliseconds: longer than the driver takes to answer


@dataclass(frozen=True)
class CalibrationPlan:
    """How large and how long. The defaults are for a GPU; a test asks for less."""

    copy_bytes: int
    newer_formats: bool = True  # bf16 and TF32, which devices before sm_80 lack
    half_size: int = 8192
    full_size: int = 4096
    noise_shape: tuple[int, int] = (4096, 4096)
    measure_s: float = 0.5
    noise_s: float = 0.8
    noise_rounds: int = 6


@dataclass(frozen=True)
class CalibrationSetup:
    """Where the measurements are made: a device, its clock, and the data's own randomness."""

    device: torch.device
    timer: BurstTimer
    plan: CalibrationPlan

    def normal(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """Standard normal data, drawn without touching anyone's generator."""
        generator = torch.Generator(device=self.device).manual_seed(_SEED)
        return torch.randn(*shape, generator=generator, device=self.device, dtype=dtype)


def calibrate(index: int, device: Device, read: Callable[[], DeviceReading]) -> Calibration:
    """Measure the CUDA device of that number, which is described by `device`."""
    newer = int(device.architecture.removeprefix("sm_")) >= 80
    plan = CalibrationPlan(copy_bytes=copy_buffer_bytes(device), newer_formats=newer)
    with torch.cuda.device(index):
        setup = CalibrationSetup(torch.device("cuda", index), EventTimer(), plan)
        try:
            return calibrate_in(setup, read)
        except torch.OutOfMemoryError as error:
            raise HostError(f"too little free memory on {device.name} to measure it") from error
        finally:
            torch.cuda.empty_cache()


def calibrate_in(setup: CalibrationSetup, read: Callable[[], DeviceReading]) -> Calibration:
    """Every figure, products first, so that the clocks are up for the rest."""
    start_s = time.perf_counter()
    plan = setup.plan
    fp16 = matmul(setup, torch.float16)
    reading = under_load(setup, fp16, read)
    bf16 = matmul(setup, torch.bfloat16) if plan.newer_formats else None
    tf32 = matmul(setup, torch.float32, tf32=True) if plan.newer_formats else None
    fp32 = matmul(setup, torch.float32)
    fp64 = matmul(setup, torch.float64)
    moved = copy(setup)
    launch = launch_cost(setup.timer, *launches(setup))
    noise = aa_noise_percent(setup)

    def rates(pick: Callable[[Bursts], float]) -> Rates:
        half, full = 2e6 * plan.half_size**3, 2e6 * plan.full_size**3
        return Rates(
            copy_bytes_per_s=2e6 * plan.copy_bytes / pick(moved),
            fp64_flops_per_s=full / pick(fp64),
            fp32_flops_per_s=full / pick(fp32),
            tf32_flops_per_s=full / pick(tf32) if tf32 else None,
            fp16_flops_per_s=half / pick(fp16),
            bf16_flops_per_s=half / pick(bf16) if bf16 else None,
        )

    return Calibration(
        threads=1,
        copy_buffer_bytes=plan.copy_bytes,
        timer_step_ns=launch.timer_step_ns,
        aa_noise_percent=noise,
        seconds=time.perf_counter() - start_s,
        median=rates(lambda found: found.median_us),
        launch_us=launch.host_us,
        launch_gap_us=launch.gap_us,
        event_offset_us=launch.event_offset_us,
        event_offset_idle_us=launch.event_offset_idle_us,
        reading=reading,
        measured_at=datetime.now(UTC),
        **rates(lambda found: found.best_us).model_dump(),
    )


def copy_buffer_bytes(device: Device) -> int:
    """Four times the last-level cache, a GiB at least, a sixteenth of the memory at most."""
    wanted = max(4 * (device.caches.llc_bytes or 0), _COPY_BYTES)
    return max(2**20, min(wanted, device.memory_bytes // 16)) // 4 * 4


def copy(setup: CalibrationSetup) -> Bursts:
    """One buffer into another on the same device."""
    source = setup.normal(setup.plan.copy_bytes // 4)
    target = torch.empty_like(source)
    return bursts(setup.timer, lambda: target.copy_(source), setup.plan.measure_s)


def matmul(setup: CalibrationSetup, dtype: torch.dtype, tf32: bool = False) -> Bursts:
    """A square product in that dtype; float32 without TF32 unless it is asked for."""
    with float32_products("tf32" if tf32 else "ieee"):
        return bursts(setup.timer, product(setup, dtype), setup.plan.measure_s)


def product(setup: CalibrationSetup, dtype: torch.dtype) -> Work:
    """One square matmul, larger in half precision, where the device is faster."""
    size = setup.plan.half_size if dtype.itemsize == 2 else setup.plan.full_size
    left, right = setup.normal(2, size, size, dtype=dtype)
    out = torch.empty_like(left)
    return lambda: torch.mm(left, right, out=out)


def under_load(
    setup: CalibrationSetup, fp16: Bursts, read: Callable[[], DeviceReading]
) -> DeviceReading:
    """A reading while float16 products, whose time is known, are still queued."""
    work = product(setup, torch.float16)
    for _ in range(_LOAD_BURSTS * calls_a_burst(fp16.median_us)):
        work()
    found = read()
    setup.timer.wait()
    return found


def launches(setup: CalibrationSetup) -> tuple[Work, Work]:
    """One tiny kernel, and one long enough to hide the queueing of others."""
    one = setup.normal(1)
    return lambda: one.add_(1), product(setup, torch.float32)


def aa_noise_percent(setup: CalibrationSetup) -> float:
    """The same code timed against itself, interleaved: the largest |B/A - 1| of the medians."""
    data = setup.normal(*setup.plan.noise_shape)
    timer, plan = setup.timer, setup.plan

    def work() -> object:
        return torch.softmax(data, -1)

    timer.burst_us(work, 1)
    calls = calls_a_burst(timer.burst_us(work, 1))
    differences = []
    for _ in range(plan.noise_rounds):
        series: tuple[list[float], list[float]] = ([], [])
        deadline_s = time.perf_counter() + plan.noise_s / plan.noise_rounds
        while time.perf_counter() < deadline_s or len(series[1]) < 3:
            for samples in series:
                samples.append(timer.burst_us(work, calls))
        differences.append(abs(statistics.median(series[1]) / statistics.median(series[0]) - 1))
    return 100 * max(differences)


@contextmanager
def float32_products(precision: str) -> Iterator[None]:
    """Set what CUDA does for float32 products, `ieee` or `tf32`, and put it back after."""
    matmul_settings = torch.backends.cuda.matmul
    before = matmul_settings.fp32_precision
    matmul_settings.fp32_precision = precision
    try:
        yield
    finally:
        matmul_settings.fp32_precision = before
