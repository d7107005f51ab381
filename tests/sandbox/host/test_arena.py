"""Sealed memory with guards and bands."""

from __future__ import annotations

import fcntl
import itertools
import os
from collections.abc import Iterator

import numpy as np
import pytest

from assay.sandbox.host.arena import PAGE, POISON, Edge, HostArena, Region, bands_intact, poison

TIGHT = (Edge.START, Edge.END, Edge.MIDDLE)


@pytest.fixture
def arena() -> Iterator[HostArena]:
    made = HostArena(3, 40 * PAGE)
    yield made
    made.close()


@pytest.mark.parametrize("size", [0, PAGE, 400 * PAGE])
def test_it_can_be_neither_shrunk_nor_grown(arena: HostArena, size: int) -> None:
    with pytest.raises(PermissionError):
        os.ftruncate(arena.descriptor, size)
    assert os.fstat(arena.descriptor).st_size == 40 * PAGE


def test_its_seals_cannot_be_changed(arena: HostArena) -> None:
    with pytest.raises(PermissionError):
        fcntl.fcntl(arena.descriptor, fcntl.F_ADD_SEALS, 8)  # against writing


def test_the_size_is_whole_pages() -> None:
    arena = HostArena(0, 1)
    assert arena.size == PAGE
    arena.close()


@pytest.mark.parametrize("nbytes", [0, 1, 64, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE])
@pytest.mark.parametrize("at", TIGHT)
def test_every_region_stands_between_guards(arena: HostArena, nbytes: int, at: Edge) -> None:
    region = arena.place(nbytes, at)
    guarded = {
        page for start, size in arena.new_guards() for page in range(start, start + size, PAGE)
    }
    assert region.start - PAGE in guarded
    assert region.start + region.pages_bytes in guarded
    inside = range(region.start, region.start + region.pages_bytes, PAGE)
    assert not guarded & set(inside)
    assert region.start <= region.offset
    assert region.offset + region.nbytes <= region.start + region.pages_bytes


def test_the_data_touches_the_edge_it_was_asked_to(arena: HostArena) -> None:
    start, end = arena.place(100, Edge.START), arena.place(100, Edge.END)
    middle = arena.place(100, Edge.MIDDLE)
    assert start.offset == start.start and start.flush
    assert end.offset + 100 == end.start + end.pages_bytes and end.flush
    assert middle.offset % 64 == 0 and not middle.flush


def test_a_full_page_in_the_middle_still_touches_nothing(arena: HostArena) -> None:
    region = arena.place(2 * PAGE, Edge.MIDDLE)
    assert not region.flush
    assert region.offset > region.start
    assert region.offset + region.nbytes < region.start + region.pages_bytes


def test_regions_never_overlap(arena: HostArena) -> None:
    regions = [arena.place(n, at) for n in (10, PAGE, 5000) for at in TIGHT]
    spans = sorted((r.start, r.start + r.pages_bytes) for r in regions)
    assert all(a[1] + PAGE <= b[0] for a, b in itertools.pairwise(spans))


def test_guards_are_told_of_once(arena: HostArena) -> None:
    arena.place(10, Edge.START)
    assert arena.new_guards() != ()
    assert arena.new_guards() == ()


@pytest.mark.parametrize("at", TIGHT)
def test_a_broken_band_is_seen(arena: HostArena, at: Edge) -> None:
    region = arena.place(100, at)
    poison(arena, region)
    arena.bytes[region.offset : region.offset + 100] = 7
    assert bands_intact(arena, region)
    for stray in _beside(region):
        arena.bytes[stray] = 0
        assert not bands_intact(arena, region)
        arena.bytes[stray] = POISON


def _beside(region: Region) -> list[int]:
    before, after = region.offset - 1, region.offset + region.nbytes
    edges = (before, after, region.start, region.start + region.pages_bytes - 1)
    data = range(region.offset, region.offset + region.nbytes)
    pages = range(region.start, region.start + region.pages_bytes)
    return [place for place in edges if place in pages and place not in data]


def test_the_poison_is_not_a_number_in_every_float_format() -> None:
    for dtype in (np.float16, np.float32, np.float64):
        assert np.isnan(np.frombuffer(bytes([POISON] * 8), dtype)).all()


def test_a_full_arena_says_so(arena: HostArena) -> None:
    with pytest.raises(MemoryError):
        arena.place(40 * PAGE, Edge.START)


def test_what_is_written_is_seen_through_the_descriptor(arena: HostArena) -> None:
    region = arena.place(4, Edge.END)
    arena.bytes[region.offset : region.offset + 4] = 9
    assert os.pread(arena.descriptor, 4, region.offset) == b"\x09" * 4
