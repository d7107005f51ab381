"""Energy from a counter that moves in steps, and from one that does not move or is not there."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import pytest

from assay.data.device import DeviceReading
from assay.sandbox.host.deadline import Deadline
from assay.timing.energy import millijoules_per_call


@dataclass
class Clock:
    """Seconds that pass only in batches."""

    now_s: float = 0.0


@dataclass
class Device:
    """Takes 2 ms and 700 mJ a batch; its counter shows what it was at the last step."""

    clock: Clock
    step_s: float = 0.02
    used_mj: int = 0
    shown_mj: int | None = 1000
    moves: bool = True
    lengths: list[int] = field(default_factory=list)

    def run(self, length: int, judged: int, deadline: Deadline) -> object:
        self.lengths.append(length)
        self.used_mj += 700
        steps = int(self.clock.now_s / self.step_s)
        self.clock.now_s += 0.002
        if self.moves and self.shown_mj and int(self.clock.now_s / self.step_s) > steps:
            self.shown_mj = 1000 + self.used_mj
        return None

    def reading(self) -> DeviceReading:
        return DeviceReading(energy_mj=self.shown_mj)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Device:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", lambda: clock.now_s)
    return Device(clock)


def test_energy_over_calls_from_step_to_step(device: Device) -> None:
    assert millijoules_per_call(device, 7, device.reading) == pytest.approx(100.0)
    assert 0.3 <= device.clock.now_s <= 0.3 + 3 * device.step_s
    assert set(device.lengths) == {7}


def test_a_device_that_does_not_report_it_runs_nothing(device: Device) -> None:
    device.shown_mj = None
    assert millijoules_per_call(device, 7, device.reading) is None
    assert device.lengths == []


def test_a_counter_that_stands_still_is_given_up(device: Device) -> None:
    device.moves = False
    assert millijoules_per_call(device, 7, device.reading, seconds=0.1) is None
    assert device.clock.now_s < 0.5
