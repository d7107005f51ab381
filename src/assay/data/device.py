"""Device: what a kernel runs on, as far as it was found out, and what was measured on it."""

from __future__ import annotations

from pydantic import AwareDatetime

from assay.data.limits import Peaks
from assay.data.record import SCHEMA_VERSION, Record


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
    uuid: str | None = None  # tells this device from all others of its make
    driver: str | None = None


class DeviceReading(Record):
    """The state of a device at one moment; None where it is not known."""

    sm_clock_mhz: float | None = None
    memory_clock_mhz: float | None = None
    temperature_c: float | None = None
    power_w: float | None = None
    energy_mj: int | None = None  # a counter: only the difference of two readings means something
    throttle_reasons: tuple[str, ...] | None = None  # empty where nothing holds the clocks back
    memory_used_bytes: int | None = None


class Rates(Record):
    """What a device moves and computes in a second; matmuls are square, of normal data."""

    copy_bytes_per_s: float  # bytes read plus bytes written
    fp64_flops_per_s: float
    fp32_flops_per_s: float  # without TF32
    tf32_flops_per_s: float | None = None
    fp16_flops_per_s: float | None = None
    bf16_flops_per_s: float | None = None


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
    tf32_flops_per_s: float | None = None
    fp16_flops_per_s: float | None = None
    bf16_flops_per_s: float | None = None
    median: Rates | None = None  # of the same repeats: what the device sustains
    launch_us: float | None = None  # host time to launch one tiny kernel
    launch_gap_us: float | None = None  # from one tiny kernel to the next in a full queue
    event_offset_us: float | None = None  # what an event pair adds to one kernel, queue busy
    event_offset_idle_us: float | None = None  # the same with the queue idle
    reading: DeviceReading | None = None  # taken under load
    measured_at: AwareDatetime | None = None
    busy: str = ""  # what else used the machine meanwhile; a busy calibration is not kept


class KeptCalibration(Record):
    """A calibration on disk, with the device and the software it holds for."""

    schema_version: int = SCHEMA_VERSION
    device: Device
    torch: str
    calibration: Calibration


class DeviceSurvey(Record):
    """One device Assay knows: described and perhaps measured, or why it cannot be used here."""

    name: str
    missing: str = ""  # what is missing, and how to get it; empty where the device is there
    judges: bool  # True where candidates can be judged on it
    device: Device | None = None
    calibration: Calibration | None = None
    peaks: Peaks | None = None  # what the maker says of this board
    reading: DeviceReading | None = None  # at the time of the survey
