"""The CUDA adapter on a made-up torch and a made-up driver."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from assay.data.device import DeviceReading
from assay.devices import device_registry, nvml
from assay.devices.cuda_device import CudaBackend, address_of
from assay.devices.nvml import GpuAddress
from assay.devices.peaks import board
from devices.fake_nvml import PCI, UUID, FakeNvml


@dataclass
class Properties:
    """What torch tells of an H200; its uuid is an object whose text carries no prefix."""

    name: str = "NVIDIA H200"
    major: int = 9
    minor: int = 0
    multi_processor_count: int = 132
    total_memory: int = 150_000_000_000
    L2_cache_size: int = 62_914_560
    uuid: str = UUID


@dataclass
class PlacedProperties(Properties):
    pci_domain_id: int = 0
    pci_bus_id: int = 0x3B
    pci_device_id: int = 0


@pytest.fixture
def two_cards(monkeypatch: pytest.MonkeyPatch) -> list[Properties]:
    cards = [Properties(), Properties(name="NVIDIA H200 NVL", uuid="another")]
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(cards))
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda index: cards[index])
    library = FakeNvml()
    monkeypatch.setattr(nvml, "library", lambda: library)
    return cards


def test_a_card_is_described_by_torch_and_the_driver(two_cards: list[Properties]) -> None:
    device = device_registry.backend("cuda").describe()
    assert (device.kind, device.name, device.architecture) == ("cuda", "NVIDIA H200", "sm_90")
    assert device.cores == 132 and device.caches.llc_bytes == 62_914_560
    assert device.clock_mhz_max == 1985 and device.driver == "580.159.04"
    assert device.uuid == f"GPU-{UUID}"


def test_a_second_card_has_its_own_name_reading_and_peaks(two_cards: list[Properties]) -> None:
    first, second = device_registry.backend("cuda:0"), device_registry.backend("cuda:1")
    assert (first.name, second.name) == ("cuda", "cuda:1")
    assert second.available() is None and second.describe().name == "NVIDIA H200 NVL"
    assert first.reading().sm_clock_mhz == 1980
    assert second.reading() == DeviceReading()
    assert (first.peaks(), second.peaks()) == (board("h200"), None)
    assert device_registry.here() == ("cpu", "cuda", "cuda:1")


@pytest.mark.parametrize(
    ("name", "given", "seen"),
    [
        ("cuda", None, None),
        ("cuda:1", None, "1"),
        ("cuda", "3,GPU-7", "3"),
        ("cuda:1", "3,GPU-7", "GPU-7"),
    ],
)
def test_a_candidate_sees_the_card_it_is_judged_on_and_no_other(
    name: str, given: str | None, seen: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if given is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", given)
    found = device_registry.backend(name)
    assert found.environment().get("CUDA_VISIBLE_DEVICES") == seen
    assert found.torch_device == "cuda" and found.accelerated


def test_a_number_that_is_not_there_says_how_many_are(two_cards: list[Properties]) -> None:
    missing = device_registry.backend("cuda:2").available()
    assert missing == "torch sees 2 CUDA devices; the last is cuda:1"
    two_cards.pop()
    assert device_registry.backend("cuda:1").available() == "torch sees 1 CUDA device: say cuda"


def test_without_a_card_the_kind_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "cuda", None)
    assert CudaBackend().count() == 0
    assert device_registry.here() == ("cpu", "cuda")


def test_torch_tells_the_driver_where_the_card_is() -> None:
    assert address_of(Properties()) == GpuAddress(uuid=UUID)
    assert address_of(Properties(uuid=f"GPU-{UUID}")) == GpuAddress(uuid=UUID)
    assert address_of(PlacedProperties()) == GpuAddress(uuid=UUID, pci=PCI)
    assert address_of(object()) == GpuAddress()
