"""Regions on a device stand between bands that a stray write breaks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from assay.devices.cuda_driver import CudaDriver
from assay.sandbox.host.arena import POISON, Edge, bands_intact, poison, poison_bands
from assay.sandbox.host.device_arena import DeviceArena


@pytest.fixture
def arena(driver: CudaDriver) -> Iterator[DeviceArena]:
    made = DeviceArena(2, 1 << 20, driver)
    yield made
    made.close()


@pytest.mark.parametrize("at", [Edge.START, Edge.MIDDLE, Edge.END])
@pytest.mark.parametrize("nbytes", [4, 1000, 4096])
def test_data_within_leaves_the_bands_whole(arena: DeviceArena, at: Edge, nbytes: int) -> None:
    region = arena.place(nbytes, at)
    poison_bands(arena, region)
    arena.write(region.offset, np.zeros(nbytes, np.uint8))
    assert bands_intact(arena, region)
    assert not arena.read(region.offset, nbytes).any()


@pytest.mark.parametrize("beside", [-1, 0])
def test_one_byte_beside_the_data_breaks_them(arena: DeviceArena, beside: int) -> None:
    region = arena.place(256, Edge.START)
    poison_bands(arena, region)
    place = region.offset - 1 if beside else region.offset + region.nbytes
    arena.write(place, np.zeros(1, np.uint8))
    assert not bands_intact(arena, region)


def test_regions_do_not_overlap_and_end(arena: DeviceArena) -> None:
    first, second = arena.place(5000, Edge.END), arena.place(5000, Edge.START)
    assert first.offset + first.nbytes <= second.start
    poison(arena, first)
    assert set(arena.read(first.offset, first.nbytes)) == {POISON}
    with pytest.raises(MemoryError):
        arena.place(1 << 20, Edge.START)


def test_short_runs_that_were_put_off_are_there_for_whoever_comes_next(arena: DeviceArena) -> None:
    region = arena.place(4096, Edge.MIDDLE)
    arena.fill(region.offset, region.nbytes)
    for number in range(100):
        arena.write_soon(region.offset + 4 * number, np.full(4, number, np.uint8))
    arena.write_soon(region.offset + 1001, np.full(7, 1, np.uint8))
    arena.settle()
    found = arena.read(region.offset, region.nbytes)
    assert np.array_equal(found[:400], np.repeat(np.arange(100, dtype=np.uint8), 4))
    assert found[1001:1008].tolist() == [1] * 7
    assert set(found[400:1001]) == set(found[1008:]) == {POISON}
    arena.write_soon(region.offset, np.full(8, 5, np.uint8))
    assert arena.read(region.offset, 9).tolist() == [5] * 8 + [2]
