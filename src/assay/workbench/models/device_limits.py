"""DeviceLimits: the least time of some work on the device that a model was profiled on.

The rule: vendor peaks where they are known, else what was measured here; the report says which. On
a device every call costs at least the gap between two kernels.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from assay.data.device import Calibration, DeviceSurvey
from assay.data.limits import Peaks
from assay.limits.roofline import roof
from assay.limits.work import Work
from assay.workbench.models.hot_report import GroupWork

_LAUNCH_GAP_US = 2.0  # of a device whose gap was not measured


@dataclass(frozen=True)
class DeviceLimits:
    """Rates of one device."""

    peaks: Peaks | None
    source: str  # in words; empty where nothing is known
    launch_us: float = 0.0  # that every call costs

    def least_us(self, work: GroupWork | None) -> float | None:
        """For one call; None where the device or the work is not known."""
        if self.peaks is None or work is None:
            return None
        found = roof(
            Work(bytes_read=work.bytes, flops=Counter(work.flops)), self.peaks, allow_tf32=False
        )
        return max(found.memory_us, found.arithmetic_us) + self.launch_us


def limits_of(survey: DeviceSurvey, accelerated: bool) -> DeviceLimits:
    """By the maker's peaks, else by the calibration."""
    measured = survey.calibration
    gap = measured.launch_gap_us if measured is not None else None
    launch = (gap if gap is not None else _LAUNCH_GAP_US) if accelerated else 0.0
    if survey.peaks is not None:
        return DeviceLimits(survey.peaks, f"vendor peaks of {survey.peaks.title}", launch)
    if measured is not None:
        busy = f", taken while {measured.busy}" if measured.busy else ""
        return DeviceLimits(_measured(measured), f"this device's calibration{busy}", launch)
    return DeviceLimits(None, "", launch)


def _measured(found: Calibration) -> Peaks:
    rates = {
        "fp64": found.fp64_flops_per_s,
        "fp32": found.fp32_flops_per_s,
        "tf32": found.tf32_flops_per_s,
        "half": found.bf16_flops_per_s or found.fp16_flops_per_s,
    }
    return Peaks(
        name="calibrated",
        title="calibration",
        bytes_per_s=found.copy_bytes_per_s,
        flops_per_s={unit: rate for unit, rate in rates.items() if rate},
    )
