"""Hardware pages: which page is whose, and that each fact names its source."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.data.device import Device
from assay.generators.knowledge.device_page import device_pages, page_of, processor_features


def device(kind: str, name: str, architecture: str) -> Device:
    return Device(kind=kind, name=name, architecture=architecture, cores=1, memory_bytes=1)


@pytest.mark.parametrize(
    ("one", "features", "page"),
    [
        (device("cuda", "NVIDIA H200", "9.0"), "", "nvidia_hopper"),
        (device("cuda", "NVIDIA H100 PCIe", "sm_90"), "", "nvidia_hopper"),
        (device("cuda", "NVIDIA A100-SXM4-80GB", "8.0"), "", "nvidia_a100"),
        (device("cpu", "AMD EPYC", "x86_64"), "fma avx2", "x86_avx2"),
        (device("cpu", "Xeon", "x86_64"), "avx2 avx512f avx512bw", "x86_avx512"),
        (device("cpu", "Neoverse-V2", "aarch64"), "asimd sve", "aarch64_neon"),
        (device("cuda", "NVIDIA L40S", "8.9"), "", None),
        (device("cpu", "SiFive", "riscv64"), "", None),
    ],
)
def test_the_page_of_a_device(one: Device, features: str, page: str | None) -> None:
    found = page_of(one, features)
    assert (found.name if found is not None else None) == page


def test_every_fact_has_a_topic_and_a_source_and_pages_are_short() -> None:
    assert len(device_pages()) == 5
    for page in device_pages():
        assert {one.topic for one in page.facts} == {"limit", "instruction", "fast", "slow"}
        assert all(one.text.endswith(".") and len(one.source) > 8 for one in page.facts)
        assert len(page.text()) < 2000
        assert page.text(("slow",)).count("\n") == sum(one.topic == "slow" for one in page.facts)


def test_the_flags_of_a_processor_are_read(tmp_path: Path) -> None:
    listed = tmp_path / "cpuinfo"
    listed.write_text("processor\t: 0\nflags\t\t: fpu avx2\n\nprocessor\t: 1\nflags\t: other\n")
    assert processor_features(listed) == "fpu avx2"
    assert processor_features(tmp_path / "missing") == ""
