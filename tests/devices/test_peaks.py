"""The table of vendor peaks holds together."""

from __future__ import annotations

import pytest

from assay.devices.peaks import board, board_of, boards, boards_called
from assay.errors import UsageError


def test_every_board_says_where_its_numbers_come_from() -> None:
    assert len(boards()) >= 12
    for name, peaks in boards().items():
        assert peaks.name == name and peaks.source and peaks.title
        assert 1e10 < peaks.bytes_per_s < 1e14


def test_narrower_units_are_no_slower() -> None:
    order = ("fp32", "tf32", "half", "fp8", "fp4")
    for peaks in boards().values():
        rates = [peaks.flops_per_s[unit] for unit in order if unit in peaks.flops_per_s]
        assert rates == sorted(rates)


def test_a_rate_holds_at_the_highest_clock() -> None:
    assert board("h200").rate("half") == pytest.approx(132 * 4096 * 1980e6, rel=1e-3)


def test_an_unknown_board_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="h200"):
        board("abacus")


@pytest.mark.parametrize(
    ("device", "name"),
    [
        ("NVIDIA H200", "h200"),
        ("NVIDIA H100 80GB HBM3", "h100-sxm"),
        ("NVIDIA H100 PCIe", "h100-pcie"),
        ("NVIDIA A100-SXM4-80GB", "a100"),
        ("NVIDIA L40S", "l40s"),
        ("NVIDIA GeForce RTX 4090", "rtx4090"),
        ("NVIDIA GeForce RTX 5090", "rtx5090"),
        ("NVIDIA B200", "b200"),
        ("AMD Instinct  MI300X", "mi300x"),
        ("AMD Instinct MI325X", "mi325x"),
    ],
)
def test_a_device_is_its_board(device: str, name: str) -> None:
    assert board_of(device) == name
    assert name in boards()


@pytest.mark.parametrize(
    "device",
    [
        "NVIDIA H200 NVL",
        "NVIDIA H200 MIG 1g.18gb",
        "NVIDIA GH200 480GB",
        "NVIDIA H100 NVL",
        "NVIDIA A100-SXM4-40GB",
        "NVIDIA A100 80GB PCIe",
        "NVIDIA GeForce RTX 4090 Laptop GPU",
        "NVIDIA GeForce RTX 4090 D",
        "Tesla T4",
        "",
    ],
)
def test_a_relative_of_a_board_is_not_that_board(device: str) -> None:
    assert board_of(device) is None


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("RTX 5090", ["rtx5090"]),
        ("rtx-5090", ["rtx5090"]),
        ("NVIDIA GeForce RTX 5090", ["rtx5090"]),
        ("5090", ["rtx5090"]),
        ("H100", ["h100-sxm", "h100-pcie"]),
        ("H100 PCIe", ["h100-pcie"]),
        ("h200", ["h200"]),
        ("B200", ["b200"]),
        ("MI300X", ["mi300x"]),
        ("Apple M2", ["m2"]),
        ("H200 NVL", []),
        ("RTX 4090 Laptop GPU", []),
        ("A100-SXM4-40GB", []),
        ("cpu", []),
        ("NVIDIA", []),
        ("", []),
    ],
)
def test_a_board_is_found_by_what_people_call_it(said: str, names: list[str]) -> None:
    assert [peaks.name for peaks in boards_called(said)] == names


def test_caches_are_faster_than_memory() -> None:
    known = [one for one in boards().values() if one.load_bytes_per_s is not None]
    assert len(known) >= 10
    for peaks in known:
        assert peaks.load_bytes_per_s > 3 * peaks.bytes_per_s, peaks.name
        assert peaks.cache_bytes and peaks.cache_bytes >= 40 * 2**20
