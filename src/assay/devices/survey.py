"""What this machine has: every known device described, and measured or read from what is kept."""

from __future__ import annotations

from assay.data.device import Calibration, Device, DeviceSurvey
from assay.devices import registry
from assay.devices.calibration_folder import CalibrationFolder
from assay.devices.device import DeviceAdapter
from assay.devices.lease import Waiting, device_key, lease
from assay.devices.peaks import board

_WAIT_S = 120.0


def survey(
    name: str, measured: bool, afresh: bool = False, waiting: Waiting | None = None
) -> DeviceSurvey:
    """One device. A kept calibration is used unless it is to be measured afresh."""
    adapter = registry.adapter(name)
    missing = adapter.available()
    if missing is not None:
        return DeviceSurvey(name=name, missing=missing, judges=adapter.judges)
    device, board_name = adapter.describe(), adapter.peaks()
    calibration = None
    if measured:
        folder = CalibrationFolder.of_user()
        calibration = None if afresh else folder.load(device)
        calibration = calibration or _measure(adapter, device, folder, waiting)
    return DeviceSurvey(
        name=name,
        judges=adapter.judges,
        device=device,
        calibration=calibration,
        peaks=board(board_name) if board_name else None,
        reading=adapter.reading(),
    )


def _measure(
    adapter: DeviceAdapter, device: Device, folder: CalibrationFolder, waiting: Waiting | None
) -> Calibration:
    """Measured while nobody else times on the device, and kept."""
    with lease(device_key(device), _WAIT_S, waiting):
        calibration = adapter.calibrate()
    folder.save(device, calibration)
    return calibration
