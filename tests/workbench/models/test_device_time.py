from __future__ import annotations

import pytest

from assay.workbench.models.device_time import busy_us, exclusive_us


def test_busy_time_is_the_union() -> None:
    assert busy_us([(0, 10), (5, 15), (20, 25), (21, 22)]) == 20
    assert busy_us([]) == 0


def test_parallel_streams_share_an_instant() -> None:
    spans = [(0.0, 10.0), (5.0, 15.0), (20.0, 25.0)]
    assert exclusive_us(spans) == pytest.approx([7.5, 7.5, 5.0])
    assert sum(exclusive_us(spans)) == pytest.approx(busy_us(spans))


def test_equal_and_empty_intervals() -> None:
    assert exclusive_us([(0, 6), (0, 6), (0, 6), (3, 3)]) == pytest.approx([2, 2, 2, 0])
