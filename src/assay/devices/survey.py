"""What this machine has: every known device described, and the CPU measured."""

from __future__ import annotations

from assay.data.device import DeviceSurvey
from assay.devices import registry


def survey(name: str, measured: bool) -> DeviceSurvey:
    """One device. The CPU alone is measured: `calibrate` measures the processor it runs on."""
    adapter = registry.adapter(name)
    missing = adapter.available()
    if missing is not None:
        return DeviceSurvey(name=name, missing=missing, judges=adapter.judges)
    device = adapter.describe()
    calibration = None
    if measured and device.kind == "cpu":
        from assay.devices.calibrate import calibrate  # imports torch, which takes seconds

        calibration = calibrate(device)
    return DeviceSurvey(name=name, judges=adapter.judges, device=device, calibration=calibration)
