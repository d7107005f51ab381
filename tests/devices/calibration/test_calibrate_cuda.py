"""The CUDA calibration, run on the CPU with the host's clock and small sizes."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest
import torch

from assay.data.device import CacheSizes, Device, DeviceReading
from assay.devices.calibration import calibrate_cuda
from assay.devices.calibration.calibrate_cuda import (
    CalibrationPlan,
    CalibrationSetup,
    calibrate,
    calibrate_in,
    copy_buffer_bytes,
    float32_products,
    matmul,
)
from assay.errors import HostError
from host_timer import HostTimer

SMALL = CalibrationPlan(
    copy_bytes=2**20,
    half_size=32,
    full_size=32,
    noise_shape=(16, 16),
    measure_s=0.01,
    noise_s=0.02,
    noise_rounds=2,
)
WORKSHOP = CalibrationSetup(torch.device("cpu"), HostTimer(), SMALL)
H200 = Device(
    kind="cuda",
    name="NVIDIA H200",
    architecture="sm_90",
    cores=132,
    memory_bytes=150 * 10**9,
    caches=CacheSizes(llc_bytes=60 * 2**20),
)


def test_every_figure_is_filled_in() -> None:
    found = calibrate_in(WORKSHOP, lambda: DeviceReading(sm_clock_mhz=1980))
    empty = [name for name, value in found.model_dump().items() if value is None]
    assert empty == []
    assert found.reading == DeviceReading(sm_clock_mhz=1980)
    assert found.median is not None
    for name, median in found.median.model_dump().items():
        assert 0 < median <= getattr(found, name)
    assert found.copy_buffer_bytes == 2**20 and found.seconds < 30


def test_an_older_device_lacks_the_newer_formats() -> None:
    older = CalibrationSetup(torch.device("cpu"), HostTimer(), replace(SMALL, newer_formats=False))
    found = calibrate_in(older, DeviceReading)
    assert found.bf16_flops_per_s is None and found.tf32_flops_per_s is None
    assert found.fp16_flops_per_s and found.fp32_flops_per_s


@pytest.mark.parametrize(("architecture", "newer"), [("sm_75", False), ("sm_90", True)])
def test_the_architecture_decides_the_formats(
    architecture: str, newer: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[CalibrationPlan] = []
    monkeypatch.setattr(calibrate_cuda, "calibrate_in", lambda w, _: plans.append(w.plan))
    monkeypatch.setattr(torch.cuda, "device", lambda index: nullcontext())
    calibrate(0, H200.model_copy(update={"architecture": architecture}), DeviceReading)
    assert plans == [CalibrationPlan(copy_bytes=2**30, newer_formats=newer)]


def test_too_little_memory_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise torch.OutOfMemoryError

    monkeypatch.setattr(calibrate_cuda, "calibrate_in", full)
    monkeypatch.setattr(torch.cuda, "device", lambda index: nullcontext())
    with pytest.raises(HostError, match="too little free memory on NVIDIA H200"):
        calibrate(0, H200, DeviceReading)


def test_the_generator_of_the_process_is_left_alone() -> None:
    torch.manual_seed(1)
    expected = torch.randn(4)
    torch.manual_seed(1)
    matmul(WORKSHOP, torch.float32)
    assert torch.equal(torch.randn(4), expected)


@pytest.mark.parametrize(("tf32", "precision"), [(False, "ieee"), (True, "tf32")])
def test_float32_products_are_what_they_are_called(
    tf32: bool, precision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(
        calibrate_cuda,
        "bursts",
        lambda *_: seen.append(torch.backends.cuda.matmul.fp32_precision),
    )
    matmul(WORKSHOP, torch.float32, tf32=tf32)
    assert seen == [precision]


def test_the_setting_is_put_back_whatever_happens() -> None:
    before = torch.backends.cuda.matmul.fp32_precision
    with pytest.raises(ZeroDivisionError), float32_products("tf32"):
        raise ZeroDivisionError
    assert torch.backends.cuda.matmul.fp32_precision == before


def test_data_is_normal_and_both_factors_differ() -> None:
    left, right = WORKSHOP.normal(2, 64, 64)
    assert abs(float(left.std()) - 1) < 0.1 and not torch.equal(left, right)


@pytest.mark.parametrize(
    ("llc", "memory", "expected"),
    [
        (60 * 2**20, 150 * 10**9, 2**30),
        (512 * 2**20, 2**40, 2**31),
        (None, 2**33, 2**29),
    ],
)
def test_the_copy_is_far_larger_than_the_cache(llc: int | None, memory: int, expected: int) -> None:
    device = H200.model_copy(update={"caches": CacheSizes(llc_bytes=llc), "memory_bytes": memory})
    assert copy_buffer_bytes(device) == expected
