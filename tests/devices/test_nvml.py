"""Readings through a stand-in for the driver's library, whole and in every state of disrepair."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import pytest

from assay.data.device import DeviceReading
from assay.devices import nvml
from assay.devices.device_company import DeviceProcess
from assay.devices.nvml import GpuAddress, NvmlGpu, driver_version, throttle_words
from devices.fake_nvml import PCI, UUID, FakeNvml

CARD = GpuAddress(uuid=UUID)
CALLS = [name[1:] for name in vars(FakeNvml) if name.startswith("_nvmlDeviceGet")]


def test_a_card_is_read_whole() -> None:
    gpu = NvmlGpu(FakeNvml(), CARD)
    assert gpu.reading() == DeviceReading(
        sm_clock_mhz=1980,
        memory_clock_mhz=3201,
        temperature_c=41,
        power_w=123.5,
        energy_mj=2**40,
        throttle_reasons=("software power cap",),
        memory_used_bytes=60,
    )
    assert gpu.found and gpu.sm_clock_mhz_max() == 1985


def test_who_computes_on_a_card_is_told_with_its_memory() -> None:
    newest, older = (f"nvmlDeviceGetComputeRunningProcesses_v{n}" for n in (3, 2))
    first, second = DeviceProcess(483, 30 << 30), DeviceProcess(548)
    assert NvmlGpu(FakeNvml(), CARD).processes() == (first, second)
    assert NvmlGpu(FakeNvml(absent=frozenset({newest})), CARD).processes() == (first,)
    assert NvmlGpu(FakeNvml(failing=frozenset({newest, older})), CARD).processes() is None
    assert NvmlGpu(FakeNvml(), CARD).memory_free_bytes() == 40
    assert NvmlGpu(None, CARD).processes() is None


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("how", ["failing", "absent"])
def test_what_fails_is_none_and_the_rest_is_there(call: str, how: str) -> None:
    broken = FakeNvml(**{how: frozenset({call})})  # type: ignore[arg-type]
    found = NvmlGpu(broken, GpuAddress(uuid=UUID, pci=PCI)).reading()
    missing = [name for name, value in found.model_dump().items() if value is None]
    lost = {
        "nvmlDeviceGetClockInfo": ["sm_clock_mhz", "memory_clock_mhz"],
        "nvmlDeviceGetTemperature": ["temperature_c"],
        "nvmlDeviceGetPowerUsage": ["power_w"],
        "nvmlDeviceGetTotalEnergyConsumption": ["energy_mj"],
        "nvmlDeviceGetMemoryInfo": ["memory_used_bytes"],
    }
    assert missing == lost.get(call, [])


def test_an_old_driver_answers_under_the_old_name() -> None:
    old = FakeNvml(absent=frozenset({"nvmlDeviceGetCurrentClocksEventReasons"}))
    assert NvmlGpu(old, CARD).reading().throttle_reasons == ("idle",)


@pytest.mark.parametrize(
    ("address", "known"),
    [
        pytest.param(CARD, {f"GPU-{UUID}"}, id="uuid"),
        pytest.param(CARD, {f"MIG-{UUID}"}, id="part of a GPU"),
        pytest.param(GpuAddress(uuid="other", pci=PCI), {PCI}, id="place on the bus"),
    ],
)
def test_a_card_is_found_by(address: GpuAddress, known: set[str]) -> None:
    assert NvmlGpu(FakeNvml(names=frozenset(known)), address).reading().sm_clock_mhz == 1980


@pytest.mark.parametrize("address", [GpuAddress(), GpuAddress(uuid="other", pci="none")])
def test_a_card_that_is_not_found_tells_nothing(address: GpuAddress) -> None:
    gpu = NvmlGpu(FakeNvml(), address)
    assert not gpu.found
    assert gpu.reading() == DeviceReading() and gpu.sm_clock_mhz_max() is None


def test_without_a_driver_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvml, "_LIBRARY", "libthere-is-none.so.1")
    nvml._initialised.cache_clear()
    try:
        assert nvml.library() is None
        assert nvml.gpu(CARD).reading() == DeviceReading()
        assert driver_version(nvml.library()) is None
    finally:
        nvml._initialised.cache_clear()


def test_a_library_that_does_not_start_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    stubborn = FakeNvml(failing=frozenset({"nvmlInit_v2"}))
    monkeypatch.setattr(ctypes, "CDLL", lambda name: stubborn)
    nvml._initialised.cache_clear()
    try:
        assert nvml.library() is None and stubborn.asked == ["nvmlInit_v2"]
    finally:
        nvml._initialised.cache_clear()


def test_the_driver_has_a_version() -> None:
    assert driver_version(FakeNvml()) == "580.159.04"
    assert driver_version(FakeNvml(failing=frozenset({"nvmlSystemGetDriverVersion"}))) is None


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        (None, None),
        (0, ()),
        (0x1, ("idle",)),
        (0x24, ("software power cap", "software thermal slowdown")),
        (0x8000, ("reason 0x8000",)),
    ],
)
def test_reasons_are_words(mask: int | None, words: tuple[str, ...] | None) -> None:
    assert throttle_words(mask) == words


def test_nothing_is_ever_set() -> None:
    library = FakeNvml()
    NvmlGpu(library, CARD).reading()
    assert library.asked and all("Get" in call for call in library.asked)


def test_a_real_library_is_called_as_its_header_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, built = Path(__file__).with_name("stub_nvml.cpp"), tmp_path / "libstub.so"
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", built, source], check=True)
    monkeypatch.setattr(nvml, "_LIBRARY", str(built))
    nvml._initialised.cache_clear()
    try:
        gpu = nvml.gpu(CARD)
        assert gpu.reading() == NvmlGpu(FakeNvml(), CARD).reading()
        assert gpu.sm_clock_mhz_max() == 1985
        assert driver_version(nvml.library()) == "580.1"
        assert not nvml.gpu(GpuAddress(uuid="other")).found
    finally:
        nvml._initialised.cache_clear()
