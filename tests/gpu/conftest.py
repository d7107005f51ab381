"""What only a GPU can show. Without one every test of this folder is skipped, and says why."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from assay.devices.cuda_driver import CudaDriver
from assay.devices.device_registry import backend
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall
from support.walls import Inside

FOLDER = Path(__file__).parent


@cache
def missing() -> str | None:
    """What this machine lacks, in the adapter's words."""
    return backend("cuda").available()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    lacks = missing()
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker("gpu")
            if lacks is not None:
                item.add_marker(pytest.mark.skip(reason=lacks))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = [r for r in terminalreporter.getreports("skipped") if "gpu/" in r.nodeid]
    if skipped and missing() is not None:
        terminalreporter.write_line(f"{len(skipped)} GPU tests were skipped: {missing()}")


@pytest.fixture(scope="session")
def wall() -> Iterator[Wall]:
    """One warm parent for all sessions; it starts before this process meets the driver."""
    with Wall((), device="cuda") as made:
        assert made.torch_version
        yield made


@pytest.fixture
def driver(wall: Wall) -> CudaDriver:
    """This process's hold on the device."""
    wall.driver.enter()
    return wall.driver


@pytest.fixture
def inside(wall: Wall) -> Iterator[Inside]:
    """A candidate's process on the device."""
    session = Session(wall)
    try:
        yield Inside(session, session.process.scratch_path)
    finally:
        session.close()
