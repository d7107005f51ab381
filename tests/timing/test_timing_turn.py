"""A turn to time is held alone, waited for a bounded time, and done without where it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.data.device import Device
from assay.devices.device_registry import backend
from assay.devices.lease import device_key, lease
from assay.errors import HostError
from assay.timing.timing_turn import timing_turn


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Device:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return backend("cpu").describe()


def test_the_turn_is_held_while_it_is_entered(device: Device) -> None:
    with timing_turn(device, lambda stage, fraction: None) as remark:
        assert remark is None
        with pytest.raises(HostError), lease(device_key(device), 0.0):
            pass
    with lease(device_key(device), 0.0):
        pass


def test_who_waits_says_so_and_goes_on_with_a_remark(device: Device) -> None:
    told: list[str] = []
    with (
        lease(device_key(device), 0.0),
        timing_turn(device, lambda stage, fraction: told.append(stage), wait_s=0.1) as remark,
    ):
        assert remark is not None and "still holds" in remark.reason
    assert told == ["waiting to time"]


def test_a_folder_that_cannot_be_kept_costs_the_lock_alone(device: Device, tmp_path: Path) -> None:
    (tmp_path / "assay").write_text("in the way")
    with timing_turn(device, lambda stage, fraction: None) as remark:
        assert remark is not None and "cannot be kept" in remark.reason and not remark.essential


def test_what_fails_inside_is_not_taken_for_a_lock(device: Device) -> None:
    turn = timing_turn(device, lambda stage, fraction: None)
    with pytest.raises(OSError, match="inside"), turn:
        raise OSError("inside")
