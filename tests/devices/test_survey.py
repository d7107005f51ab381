"""A survey: what is missing, what is kept, what is measured anew, and under whose lease."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from assay.data.device import Calibration, Device, DeviceReading
from assay.devices import registry
from assay.devices.lease import lease
from assay.devices.survey import survey
from assay.errors import HostError
from devices.test_calibration_folder import CALIBRATION
from sample_records import DEVICE


@dataclass
class ScriptedAdapter:
    """A board of the table; each calibration is slower than the one before."""

    name: str = "scripted"
    judges: bool = True
    measured: list[Calibration] = field(default_factory=list)

    def at(self, index: int) -> ScriptedAdapter:
        return self

    def count(self) -> int:
        return 1

    def available(self) -> str | None:
        return None

    def describe(self) -> Device:
        return DEVICE.model_copy(update={"uuid": "GPU-1"})

    def reading(self) -> DeviceReading:
        return DeviceReading(power_w=100.0)

    def peaks(self) -> str | None:
        return "h200"

    def calibrate(self) -> Calibration:
        with pytest.raises(HostError), lease("GPU-1", wait_s=0.0):
            raise AssertionError("the device is not held while it is measured")
        seconds = 1.0 + len(self.measured)
        self.measured.append(CALIBRATION.model_copy(update={"seconds": seconds}))
        return self.measured[-1]


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> ScriptedAdapter:
    adapter = ScriptedAdapter()
    monkeypatch.setattr(registry, "adapter", lambda name: adapter)
    return adapter


def test_a_device_is_measured_once_and_anew_on_request(scripted: ScriptedAdapter) -> None:
    def seconds(afresh: bool = False) -> float | None:
        calibration = survey("scripted", measured=True, afresh=afresh).calibration
        return calibration.seconds if calibration else None

    assert [seconds(), seconds(), seconds(afresh=True), seconds()] == [1.0, 1.0, 2.0, 2.0]
    assert len(scripted.measured) == 2


def test_a_survey_holds_the_makers_peaks_and_the_state(scripted: ScriptedAdapter) -> None:
    found = survey("scripted", measured=False)
    assert found.calibration is None and not scripted.measured
    assert found.peaks is not None and found.peaks.name == "h200"
    assert found.reading == DeviceReading(power_w=100.0)
