"""The ceilings benchmark: what it compares, and when it calls two figures different."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import ceilings
from ceilings import Subject, environment, subjects, take_turns

from assay.data.device import DeviceReading
from assay.devices.calibration.calibrate_cuda import CalibrationPlan, CalibrationSetup
from host_timer import HostTimer
from sample_records import DEVICE


def subject(ours: list[float], plain: list[float]) -> Subject:
    return Subject(
        "copy", "B/s", 4e6, lambda: tuple(ours), lambda: tuple(plain), list(ours), list(plain)
    )


@pytest.mark.parametrize(
    ("ours", "plain", "agree"),
    [
        ([1.0, 1.1, 1.2], [1.04, 1.1, 1.3], True),
        ([1.0, 1.1, 1.2], [1.06, 1.1, 1.2], False),
        ([1.0, 1.1, 1.2], [1.0, 1.2, 1.3], False),
        ([1.1, 1.1, 1.1], [1.0, 1.1, 1.1], False),
    ],
)
def test_best_and_median_have_to_agree(ours: list[float], plain: list[float], agree: bool) -> None:
    assert subject(ours, plain).agree() is agree
    assert ("DIFFER" in subject(ours, plain).line()) is not agree


def test_rates_are_work_over_time() -> None:
    assert subject([1.0, 2.0, 4.0], [1.0]).rates([1.0, 2.0, 4.0]) == (4.0, 2.0)


def test_all_take_turns_and_can_be_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceilings, "plain_loop", lambda work: (HostTimer().burst_us(work, 1),))
    plan = CalibrationPlan(copy_bytes=2**16, half_size=16, measure_s=0.001)
    compared = subjects(CalibrationSetup(torch.device("cpu"), HostTimer(), plan))
    take_turns(compared, rounds=2)
    for one in compared:
        assert len(one.plain_us) == 2 and len(one.ours_us) >= 6
    reading = DeviceReading(sm_clock_mhz=1980)
    record = [environment(DEVICE, reading, reading), [one.record() for one in compared]]
    assert json.loads(json.dumps(record))[0]["reading_after"]["sm_clock_mhz"] == 1980


def test_without_a_device_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["ceilings.py", "--device", "cpu"])
    assert ceilings.main() == 2
    assert "not a CUDA device" in capsys.readouterr().err
