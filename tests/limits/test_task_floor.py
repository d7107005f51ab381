"""The floor of a whole task, and how a evaluation context comes to it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from assay.context import limits_seen
from assay.data.device import Device
from assay.data.observations.observation import LimitsSeen
from assay.data.settings import Settings
from assay.data.task import Task
from assay.devices.cpu_device import CpuBackend
from assay.devices.peaks import board
from assay.limits.task_floor import floor_of
from assay.tasks.catalog import resolve
from described_device import DescribedDevice


def _device(kind: str, name: str) -> Device:
    return Device(kind=kind, name=name, architecture="", cores=1, memory_bytes=1)


H200 = _device("cuda", "NVIDIA H200")


def test_the_floor_at_the_tasks_own_sizes() -> None:
    found = floor_of(resolve("linear_relu"), board("h200"))
    assert found.axes == {"batch": 256, "in_features": 512, "out_features": 512}
    assert found.bytes_kept == 4 * (512 * 512 + 512)
    assert found.bytes_read == found.bytes_kept + 4 * 256 * 512
    assert found.bytes_written == 4 * 256 * 512
    assert found.flops == {"float32": 2 * 256 * 512 * 512} and found.units["float32"] == "tf32"


def test_a_known_board_gives_a_floor_and_its_peaks() -> None:
    seen = limits_seen(resolve("softmax"), DescribedDevice(H200), Settings(device="cuda"))
    assert seen.limits is not None and seen.peaks == board("h200") and seen.reason == ""
    assert LimitsSeen.model_validate_json(seen.model_dump_json()) == seen


@pytest.mark.parametrize(("tf32", "unit"), [(False, "fp32"), (True, "tf32")])
def test_the_tf32_policy_prices_float32(tf32: bool, unit: str) -> None:
    seen = limits_seen(resolve("matmul"), DescribedDevice(H200), Settings(device="cuda", tf32=tf32))
    assert seen.limits is not None and seen.limits.units == {"float32": unit}


@pytest.mark.parametrize(
    ("device", "settings", "reason"),
    [
        (_device("cuda", "Abacus"), Settings(), "no vendor peaks are known for Abacus"),
        (H200, Settings(timing=False), "switched off"),
    ],
)
def test_no_floor_comes_with_a_reason(device: Device, settings: Settings, reason: str) -> None:
    seen = limits_seen(resolve("softmax"), DescribedDevice(device), settings)
    assert seen.limits is None and reason in seen.reason


def test_a_cpu_has_no_floor() -> None:
    seen = limits_seen(resolve("softmax"), CpuBackend(), Settings())
    assert seen.limits is None and "no vendor peaks are known for" in seen.reason


def test_a_task_that_cannot_be_traced_costs_its_floor_alone() -> None:
    broken = Task(id="broken", format="native", source="raise ValueError('no')")
    seen = limits_seen(broken, DescribedDevice(H200), Settings())
    assert seen.limits is None and "could not be traced" in seen.reason


_FLOOR_IN_A_NEW_PROCESS = """
import assay.context
from assay.judge_process.process_settings import ProcessSettings
from assay.limits.task_floor import traced
from assay.tasks.catalog import resolve
before = ProcessSettings.now()
for task in ("softmax", "linear_relu"):
    traced(resolve(task), {})
print(before.changed())
"""


def test_a_judge_process_stays_fit_after_it_has_computed_a_floor() -> None:
    """It is computed on boards whose peaks are known alone, so a CPU never shows what it leaves.

    A library changes the environment when it is first used: this process has used it before.
    """
    line = [sys.executable, "-c", _FLOOR_IN_A_NEW_PROCESS]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
