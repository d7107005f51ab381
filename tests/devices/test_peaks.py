"""The table of vendor peaks holds together."""

from __future__ import annotations

import pytest

from assay.devices.peaks import board, boards
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
