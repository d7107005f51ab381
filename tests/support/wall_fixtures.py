"""The roads of the shared walls, one by one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay.sandbox.host.wall import Wall
from support.walls import ROADS, Room, forced


@pytest.fixture(params=ROADS)
def room(request: pytest.FixtureRequest, rooms: dict[str, Room]) -> Room:
    return rooms[request.param]


@pytest.fixture
def best_room(rooms: dict[str, Room]) -> Room:
    """The strongest road this machine offers."""
    return rooms[ROADS[0]]


@pytest.fixture
def shared_wall(best_room: Room) -> Iterator[Wall]:
    """For whole evaluations of small candidates."""
    with forced(best_room.road):
        yield best_room.wall
