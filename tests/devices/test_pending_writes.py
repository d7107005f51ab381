"""Runs that are put off: which words go where."""

from __future__ import annotations

import random

import numpy as np
import pytest

from assay.devices.pending_writes import PendingWrites
from assay.sandbox.host.arena import Bytes

SIZE = 1 << 12


def put(memory: Bytes, pending: PendingWrites) -> int:
    """As a device does it; returns how many scatters there were."""
    taken = list(pending.take())
    for places, words in taken:
        memory.view(words.dtype)[places] = words
    return len(taken)


@pytest.mark.parametrize("length", [1, 2, 4, 8, 12, 512])
@pytest.mark.parametrize("align", [1, 2, 8])
def test_bytes_arrive_where_each_run_was_to_go(length: int, align: int) -> None:
    rng, drawn = random.Random(length), np.random.default_rng(align)
    memory, wanted = np.zeros(SIZE, np.uint8), np.zeros(SIZE, np.uint8)
    pending = PendingWrites()
    for start in rng.sample(range(0, SIZE - 1024, 1024), 3):
        offset = start + align * rng.randrange(64)
        data = drawn.integers(0, 256, length, np.uint8)
        pending.add(offset, data)
        wanted[offset : offset + length] = data
    assert 1 <= put(memory, pending) <= 4
    assert np.array_equal(memory, wanted)
    assert put(memory, pending) == 0


def test_many_elements_of_one_size_are_one_scatter() -> None:
    memory, pending = np.zeros(SIZE, np.uint8), PendingWrites()
    for place in range(100):
        pending.add(4 * place, np.full(4, place, np.uint8))
    assert put(memory, pending) <= 2  # at multiples of four and of eight
    assert np.array_equal(memory[:400], np.repeat(np.arange(100, dtype=np.uint8), 4))


def test_the_later_of_two_at_one_place_counts_and_nothing_is_no_write() -> None:
    memory, pending = np.zeros(SIZE, np.uint8), PendingWrites()
    for value in (1, 2):
        pending.add(16, np.full(2, value, np.uint8))
    pending.add(32, np.zeros(0, np.uint8))
    assert put(memory, pending) == 1
    assert memory[16:18].tolist() == [2, 2] and not memory[18:].any()
