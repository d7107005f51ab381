"""What this machine has: every known device described, and measured or read from what is kept.

The rule: a calibration taken while other processes used the machine says so and is not kept, so
that the next command measures again.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from assay.data.device import Calibration, DeviceSurvey
from assay.devices import device_registry
from assay.devices.calibration.calibration_folder import CalibrationFolder
from assay.devices.device_adapter import DeviceBackend
from assay.devices.lease import Waiting, device_key, lease
from assay.devices.load_counters import LoadCounters, busy_words, load_between, load_counters

_WAIT_S = 120.0
_Counters = Callable[[], LoadCounters]


def survey(
    name: str,
    measured: bool,
    afresh: bool = False,
    waiting: Waiting | None = None,
    counters: _Counters = load_counters,
) -> DeviceSurvey:
    """One device. A kept calibration is used unless it is to be measured afresh."""
    backend = device_registry.backend(name)
    missing = backend.available()
    if missing is not None:
        return DeviceSurvey(name=name, missing=missing, judges=backend.judges)
    device = backend.describe()
    calibration = None
    if measured:
        folder = CalibrationFolder.of_user()
        calibration = None if afresh else folder.load(device)
        if calibration is None:
            with lease(device_key(device), _WAIT_S, waiting):
                calibration = _measure(backend, counters)
            if not calibration.busy:
                folder.save(device, calibration)
    return DeviceSurvey(
        name=name,
        judges=backend.judges,
        device=device,
        calibration=calibration,
        peaks=backend.peaks(),
        reading=backend.reading(),
    )


def _measure(backend: DeviceBackend, counters: _Counters) -> Calibration:
    """A calibration, with what else used the machine meanwhile. The caller holds the lease."""
    before, own_before_s = counters(), time.process_time()
    calibration = backend.calibrate()
    load = load_between(before, counters(), time.process_time() - own_before_s)
    return calibration.model_copy(update={"busy": busy_words(load)})
