"""The table of vendor peaks holds together."""

from __future__ import annotations

import pytest

from assay.devices.peaks import board, board_of, boards
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
        ("NVIDIA GH200 480GB", None),
        ("NVIDIA H100 80GB HBM3 MIG 1g.10gb", None),
        ("NVIDIA A100-SXM4-40GB", None),
        ("Intel(R) Xeon(R) Platinum 8480+", None),
    ],
)
def test_a_board_is_found_by_its_whole_name(device: str, name: str | None) -> None:
    assert board_of(device) == name
    assert name is None or name in boards()
