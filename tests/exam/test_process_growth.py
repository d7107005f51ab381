"""Growth that goes on with the calls is named; growth that ends is not."""

from __future__ import annotations

import os

import pytest

from assay.data.evidence import Severity
from assay.exam.process_growth import ProcessSize, growth_findings, process_size

MIB = 1 << 20


def _sizes(memory: list[int], descriptors: list[int] | None = None) -> list[ProcessSize]:
    open_ones = descriptors or [10] * len(memory)
    rows = zip(memory, open_ones, strict=True)
    return [ProcessSize(25 * (n + 1), m * MIB, d) for n, (m, d) in enumerate(rows)]


def test_a_result_that_is_never_given_back_shows() -> None:
    (found,) = growth_findings(_sizes([100 + 50 * n for n in range(10)]), 2 * MIB)
    assert found.severity is Severity.SUSPICIOUS and "MiB" in found.text


def test_descriptors_that_are_never_closed_show() -> None:
    (found,) = growth_findings(_sizes([100] * 10, [10 + 6 * n for n in range(10)]), 4)
    assert "descriptors" in found.text


@pytest.mark.parametrize(
    "memory",
    [
        [100] * 10,
        [100, 300, 500, *[500] * 7],  # a pool that is full
        [100, 100, 100, 100, 100, 100, 400, 400, 400, 400],  # one step: a buffer
        [100, 101, 102, 103, 104, 105, 106, 107, 108, 109],  # less than what was returned
        [100, 500],  # too few looks
    ],
)
def test_growth_that_ends_is_no_finding(memory: list[int]) -> None:
    assert growth_findings(_sizes(memory), 2 * MIB) == ()


def test_a_living_process_has_a_size() -> None:
    before = process_size([os.getpid()], 0)
    read_end, write_end = os.pipe()
    after = process_size([os.getpid(), 1 << 30], 1)
    os.close(read_end)
    os.close(write_end)
    assert before.memory_bytes > 0 and after.descriptors == before.descriptors + 2
