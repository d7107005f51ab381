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
    """What was measured on the device, with the figures a report needs."""

    copy_bytes_per_s: float
    fp32_flops_per_s: float
    fp64_flops_per_s: float
    empty_batch_us: float
    call_overhead_us: float
    aa_noise_percent: float
