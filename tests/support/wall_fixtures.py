"""The roads of the shared walls, one by one."""

from __future__ import annotations

import pytest

from support.walls import ROADS, Room


@pytest.fixture(params=ROADS)
def room(request: pytest.FixtureRequest, rooms: dict[str, Room]) -> Room:
    return rooms[request.param]


@pytest.fixture
def best_room(rooms: dict[str, Room]) -> Room:
    """The strongest road this machine offers."""
    return rooms[ROADS[0]]
