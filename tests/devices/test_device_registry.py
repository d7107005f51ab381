"""Names of devices: known, unknown, absent, and present but not judged on."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from assay.devices import device_registry
from assay.devices.cpu_device import CpuBackend
from assay.errors import UsageError
from assay.plugins import PlugIn


@dataclass(frozen=True)
class PresentDevice(CpuBackend):
    """A device that is there but cannot judge."""

    name: str = "present"
    judges: bool = False


@pytest.fixture
def with_present(monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in = PlugIn(f"{__name__}:PresentDevice")
    monkeypatch.setitem(device_registry.DEVICES.built_in, "present", plug_in)


def test_an_unknown_device_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"unknown device 'tpu'; known: cpu, cuda"):
        device_registry.for_judging("tpu")


@pytest.mark.parametrize("name", ["cuda:", "cuda:x", "cuda:-1", "cuda:1:2", "tpu:0", ""])
def test_a_number_is_a_number(name: str) -> None:
    with pytest.raises(UsageError, match=r"known: cpu, cuda"):
        device_registry.backend(name)


def test_the_cpu_is_one_device() -> None:
    assert device_registry.backend("cpu:0").name == "cpu"
    with pytest.raises(UsageError, match=r"'cpu:1'; the CPU is one device"):
        device_registry.backend("cpu:1")


def test_the_cpu_judges() -> None:
    assert device_registry.for_judging("cpu").describe().kind == "cpu"


def test_cuda_says_what_is_missing_or_that_it_does_not_judge_yet() -> None:
    missing = device_registry.backend("cuda").available()
    expected = missing or "judges only on: cpu"
    with pytest.raises(UsageError) as raised:
        device_registry.for_judging("cuda")
    assert expected in str(raised.value)


def test_cuda_without_a_cuda_build_names_the_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.version, "cuda", None)
    missing = device_registry.backend("cuda").available()
    assert missing is not None and "install a CUDA build of torch" in missing


def test_cuda_without_a_device_points_at_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    missing = device_registry.backend("cuda").available()
    assert missing is not None and "nvidia-smi" in missing


def test_a_device_that_is_there_but_does_not_judge_is_refused(with_present: None) -> None:
    with pytest.raises(UsageError, match=r"device 'present' is here, but .* only on: cpu"):
        device_registry.for_judging("present")
