"""Calibrations on disk: found again for the same device and software, and for nothing else."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import torch

from assay.data.device import Calibration
from assay.devices.calibration.calibration_folder import CalibrationFolder
from sample_records import DEVICE

CALIBRATION = Calibration(
    threads=2,
    copy_bytes_per_s=1e10,
    copy_buffer_bytes=2**28,
    fp32_flops_per_s=1e11,
    fp64_flops_per_s=5e10,
    timer_step_ns=40.0,
    aa_noise_percent=1.0,
    seconds=2.0,
    measured_at=datetime(2025, 1, 1, tzinfo=UTC),
)


def test_what_is_kept_is_found(tmp_path: Path) -> None:
    folder = CalibrationFolder(tmp_path / "a" / "b")
    assert folder.load(DEVICE) is None
    assert folder.save(DEVICE, CALIBRATION)
    assert folder.load(DEVICE) == CALIBRATION
    assert [file.suffix for file in folder.path.iterdir()] == [".json"]


@pytest.mark.parametrize("field", ["name", "driver", "uuid"])
def test_another_device_has_its_own(field: str, tmp_path: Path) -> None:
    folder = CalibrationFolder(tmp_path)
    folder.save(DEVICE, CALIBRATION)
    assert folder.load(DEVICE.model_copy(update={field: "another"})) is None


def test_another_torch_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = CalibrationFolder(tmp_path)
    folder.save(DEVICE, CALIBRATION)
    monkeypatch.setattr(torch, "__version__", "9.9")
    assert folder.load(DEVICE) is None


@pytest.mark.parametrize("text", [b"", b"{", b'{"schema_version": 1}', b"\xff"])
def test_a_broken_file_is_no_calibration(text: bytes, tmp_path: Path) -> None:
    folder = CalibrationFolder(tmp_path / "kept")
    folder.save(DEVICE, CALIBRATION)
    (file,) = folder.path.iterdir()
    file.write_bytes(text)
    assert folder.load(DEVICE) is None


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not CalibrationFolder(tmp_path / "file" / "folder").save(DEVICE, CALIBRATION)


def test_the_users_cache_is_where_xdg_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert CalibrationFolder.of_user().path == tmp_path / "cache" / "assay" / "calibration"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert CalibrationFolder.of_user().path == tmp_path / ".cache" / "assay" / "calibration"
