"""A survey: what is missing, what is kept, what is measured anew, and under whose lease."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

import pytest

from assay.data.device import Calibration, Device, DeviceReading
from assay.data.limits import Peaks
from assay.devices import device_registry
from assay.devices.lease import lease
from assay.devices.load_counters import LoadCounters
from assay.devices.peaks import board
from assay.devices.survey import survey
from assay.errors import HostError
from devices.calibration.test_calibration_folder import CALIBRATION
from sample_records import DEVICE


@dataclass
class ScriptedDevice:
    """A board of the table; each calibration is slower than the one before."""

    name: str = "scripted"
    judges: bool = True
    measured: list[Calibration] = field(default_factory=list)

    def at(self, index: int) -> ScriptedDevice:
        return self

    def count(self) -> int:
        return 1

    def available(self) -> str | None:
        return None

    def describe(self) -> Device:
        return DEVICE.model_copy(update={"uuid": "GPU-1"})

    def reading(self) -> DeviceReading:
        return DeviceReading(power_w=100.0)

    def peaks(self) -> Peaks | None:
        return board("h200")

    def calibrate(self) -> Calibration:
        with pytest.raises(HostError), lease("GPU-1", wait_s=0.0):
            raise AssertionError("the device is not held while it is measured")
        seconds = 1.0 + len(self.measured)
        self.measured.append(CALIBRATION.model_copy(update={"seconds": seconds}))
        return self.measured[-1]


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> ScriptedDevice:
    adapter = ScriptedDevice()
    monkeypatch.setattr(device_registry, "backend", lambda name: adapter)
    return adapter


def _counters(busy_s: float) -> Callable[[], LoadCounters]:
    """Readings one second apart, with that much processor time of others in between."""
    readings = count()

    def read() -> LoadCounters:
        second = float(next(readings))
        return LoadCounters(second, 2, 0.0, 0.0, busy_s * second, 0.0, 1)

    return read


def test_a_device_is_measured_once_and_anew_on_request(scripted: ScriptedDevice) -> None:
    def seconds(afresh: bool = False) -> float | None:
        calibration = survey(
            "scripted", measured=True, afresh=afresh, counters=_counters(0.0)
        ).calibration
        return calibration.seconds if calibration else None

    assert [seconds(), seconds(), seconds(afresh=True), seconds()] == [1.0, 1.0, 2.0, 2.0]
    assert len(scripted.measured) == 2


def test_a_calibration_of_a_busy_machine_says_so_and_is_not_kept(
    scripted: ScriptedDevice,
) -> None:
    def busy(others_s: float) -> str | None:
        found = survey("scripted", measured=True, counters=_counters(others_s)).calibration
        return found.busy if found else None

    assert busy(1.0) == "other processes used 50 % of the cores"
    assert busy(0.0) == ""  # measured again, because the first was not kept
    assert busy(1.0) == ""  # kept
    assert len(scripted.measured) == 2


def test_a_survey_holds_the_makers_peaks_and_the_state(scripted: ScriptedDevice) -> None:
    found = survey("scripted", measured=False)
    assert found.calibration is None and not scripted.measured
    assert found.peaks is not None and found.peaks.name == "h200"
    assert found.reading == DeviceReading(power_w=100.0)
