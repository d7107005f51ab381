"""One wall for each road, shared by every test: starting one costs seconds of imports."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from assay.worker.host.wall import Wall
from worker.rooms import ROADS, ROOMS, Room


@pytest.fixture(scope="session")
def rooms() -> Iterator[dict[str, Room]]:
    """Both walls warm up at the same time."""
    with contextlib.ExitStack() as stack:
        yield {road: Room(stack.enter_context(Wall((), ROOMS)), road) for road in ROADS}


@pytest.fixture(params=ROADS)
def room(request: pytest.FixtureRequest, rooms: dict[str, Room]) -> Room:
    return rooms[request.param]


@pytest.fixture
def best_room(rooms: dict[str, Room]) -> Room:
    """The strongest road this machine offers."""
    return rooms[ROADS[0]]
