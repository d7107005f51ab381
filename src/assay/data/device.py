"""Device: what a kernel runs on, as far as it was found out."""

from __future__ import annotations

from assay.data.record import Record


class CacheSizes(Record):
    """Bytes per level; None where the machine does not say."""

    l1d_bytes: int | None = None
    l2_bytes: int | None = None
    llc_bytes: int | None = None


class Device(Record):
    """One device of this machine."""

    kind: str  # "cpu", "cuda", ...
    name: str
    architecture: str
    cores: int
    memory_bytes: int
    caches: CacheSizes = CacheSizes()
    clock_mhz_max: float | None = None


class Calibration(Record):
    """What was measured on the device. Rates are the best of several repeats."""

    threads: int
    copy_bytes_per_s: float  # bytes read plus bytes written
    copy_buffer_bytes: int  # size of one buffer; below the last-level cache the rate flatters
    fp32_flops_per_s: float  # of a square matmul
    fp64_flops_per_s: float
    timer_step_ns: float  # smallest step the clock was seen to make
    aa_noise_percent: float  # identical code against itself: the largest difference of medians
    seconds: float  # what the calibration itself took


class DeviceSurvey(Record):
    """One device Assay knows: described and perhaps measured, or why it cannot be used here."""

    name: str
    missing: str = ""  # what is missing, and how to get it; empty where the device is there
    judges: bool  # True where candidates can be judged on it
    device: Device | None = None
    calibration: Calibration | None = None
