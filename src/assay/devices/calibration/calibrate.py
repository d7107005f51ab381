"""What this CPU can do, measured in about two seconds.

The rule: a rate is the best of many repeats (noise only ever slows), and noise is the worst of
several (it is what a single comparison may suffer). Both are of this process on this machine now.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise

import torch

from assay.data.device import Calibration, Device

_COPY_S, _MATMUL_S, _NOISE_S = 0.4, 0.35, 0.6
_MAX_BUFFER_BYTES = 256 * 2**20
_MATMUL_SIZE = 768
_NOISE_ROUNDS = 6


def calibrate(device: Device) -> Calibration:
    """Copy bandwidth, matmul rates, clock step and A/A noise of `device`, which is this CPU."""
    start = time.perf_counter()
    threads = torch.get_num_threads()
    buffer_bytes = copy_buffer_bytes(device)
    return Calibration(
        threads=threads,
        copy_bytes_per_s=copy_rate(buffer_bytes),
        copy_buffer_bytes=buffer_bytes,
        fp32_flops_per_s=matmul_rate(torch.float32),
        fp64_flops_per_s=matmul_rate(torch.float64),
        timer_step_ns=timer_step_ns(),
        aa_noise_percent=aa_noise_percent(),
        seconds=time.perf_counter() - start,
        measured_at=datetime.now(UTC),
    )


def copy_buffer_bytes(device: Device) -> int:
    """Four times the last-level cache, within 256 MiB and a sixteenth of the memory."""
    wanted = 4 * (device.caches.llc_bytes or 16 * 2**20)
    return max(2**20, min(wanted, _MAX_BUFFER_BYTES, device.memory_bytes // 16))


def copy_rate(buffer_bytes: int) -> float:
    """Bytes read plus bytes written per second, copying one buffer into another."""
    source = torch.ones(buffer_bytes, dtype=torch.uint8)
    target = torch.zeros_like(source)
    return 2 * buffer_bytes / _best_s(lambda: target.copy_(source), _COPY_S)


def matmul_rate(dtype: torch.dtype) -> float:
    """2 n^3 operations over the best time of a square matmul."""
    left = torch.rand(_MATMUL_SIZE, _MATMUL_SIZE, dtype=dtype)
    right = torch.rand(_MATMUL_SIZE, _MATMUL_SIZE, dtype=dtype)
    out = torch.empty_like(left)
    return float(2 * _MATMUL_SIZE**3 / _best_s(lambda: torch.mm(left, right, out=out), _MATMUL_S))


def timer_step_ns() -> float:
    """The smallest difference two readings of the clock ever show."""
    readings = [time.perf_counter_ns() for _ in range(20_000)]
    steps = [later - earlier for earlier, later in pairwise(readings)]
    return float(min(step for step in steps if step > 0))


def aa_noise_percent() -> float:
    """The same code timed against itself, interleaved: the largest |B/A - 1| of the medians."""
    data = torch.rand(256, 1024)
    differences = []
    for _ in range(_NOISE_ROUNDS):
        first, second = _interleaved(lambda: torch.softmax(data, -1), _NOISE_S / _NOISE_ROUNDS)
        differences.append(abs(second / first - 1))
    return 100 * max(differences)


def _interleaved(work: Callable[[], object], budget_s: float) -> tuple[float, float]:
    """Medians of two series of the same work, taken in turns."""
    samples: tuple[list[float], list[float]] = ([], [])
    deadline = time.perf_counter() + budget_s
    while time.perf_counter() < deadline or len(samples[1]) < 3:
        for series in samples:
            series.append(_seconds(work))
    return statistics.median(samples[0]), statistics.median(samples[1])


def _best_s(work: Callable[[], object], budget_s: float) -> float:
    """The shortest of as many repeats as fit, three at least, the first one thrown away."""
    work()
    deadline = time.perf_counter() + budget_s
    times: list[float] = []
    while time.perf_counter() < deadline or len(times) < 3:
        times.append(_seconds(work))
    return min(times)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
