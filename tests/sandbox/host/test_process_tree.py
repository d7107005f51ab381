"""A tree stands still, goes on and ends: by signals, and by control groups where offered."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.sandbox.host.control_group import ControlGroup, GroupLimits
from assay.sandbox.host.process_tree import (
    GroupTree,
    ProcessTree,
    SignalTree,
    descendants,
    resident_bytes,
)
from support.busy_tree import PROCESSES, BusyTree, cpu_ticks
from support.walls import alive, wait_until

LIMITS = GroupLimits(memory_bytes=1 << 30, tasks=64)
NAME = f"assay-test-{os.getpid()}"


def _groups_offered() -> bool:
    group = ControlGroup.create(f"{NAME}-probe", LIMITS)
    if group is None:
        return False
    group.remove()
    return True


def _signals(pid: int) -> ProcessTree:
    return SignalTree(pid)


def _groups(pid: int) -> ProcessTree:
    group = ControlGroup.create(NAME, LIMITS)
    assert group is not None
    return GroupTree(pid, group)


KINDS = [_signals, _groups] if _groups_offered() else [_signals]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def tree(request: pytest.FixtureRequest) -> Iterator[ProcessTree]:
    make: Callable[[int], ProcessTree] = request.param
    with BusyTree() as busy:
        made = make(busy.pid)
        busy.start()
        try:
            assert wait_until(lambda: len(made.pids()) == PROCESSES)
            yield made
        finally:
            with contextlib.suppress(OSError):  # a test may have ended it already
                made.kill()


def _progress(pids: list[int], seconds: float = 0.15) -> int:
    before = cpu_ticks(pids)
    time.sleep(seconds)
    return cpu_ticks(pids) - before


def test_orphans_belong_to_the_tree(tree: ProcessTree) -> None:
    assert len(tree.pids()) == PROCESSES


def test_frozen_means_no_processor_time(tree: ProcessTree) -> None:
    pids = tree.pids()
    tree.freeze()
    assert _progress(pids) == 0
    tree.thaw()
    assert wait_until(lambda: _progress(pids, 0.05) > 0)


def test_it_can_be_frozen_again_and_again(tree: ProcessTree) -> None:
    for _ in range(30):
        tree.freeze()
        tree.thaw()
    tree.freeze()
    assert _progress(tree.pids(), 0.06) == 0


@pytest.mark.parametrize("frozen", [False, True])
def test_killed_means_nothing_is_left(tree: ProcessTree, frozen: bool) -> None:
    pids = tree.pids()
    if frozen:
        tree.freeze()
    tree.kill()
    assert wait_until(lambda: not any(alive(pid) for pid in pids))


def test_layers_are_named(tree: ProcessTree) -> None:
    assert any("freezer" in layer for layer in tree.layers)


def test_nobody_was_killed_for_memory(tree: ProcessTree) -> None:
    assert tree.out_of_memory_kills() == 0


def test_descendants_of_a_process_without_children() -> None:
    pid = os.fork()
    if pid == 0:
        signal.pause()
        os._exit(0)
    assert descendants(pid) == [pid]
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_memory_of_a_process() -> None:
    assert resident_bytes(os.getpid()) > 1 << 20
    assert resident_bytes(2**22 - 1) == 0


GROUPS = ["groups"] if _groups in KINDS else []


@pytest.mark.parametrize("kind", GROUPS)
def test_folders_come_and_go(kind: str) -> None:
    group = ControlGroup.create(f"{NAME}-folders", LIMITS)
    assert group is not None and group.paths
    assert all(Path(path).is_dir() for path in group.paths)
    assert group.pids() == []
    group.remove()
    assert not any(Path(path).exists() for path in group.paths)
    group.remove()  # twice is no error


@pytest.mark.parametrize("kind", GROUPS)
def test_caps_are_written(kind: str) -> None:
    group = ControlGroup.create(f"{NAME}-caps", LIMITS)
    assert group is not None
    files = {"cgroup process cap": "pids.max", "cgroup memory cap": "memory.limit_in_bytes"}
    values = {"pids.max": "64", "memory.limit_in_bytes": str(1 << 30)}
    try:
        for layer, name in files.items():
            written = [Path(p) / name for p in group.paths if (Path(p) / name).exists()]
            if layer in group.layers and written:
                assert [file.read_text().strip() for file in written] == [values[name]]
    finally:
        group.remove()


@pytest.mark.parametrize("kind", GROUPS)
def test_killing_a_group_removes_its_folders(kind: str) -> None:
    with BusyTree() as busy:
        group = ControlGroup.create(f"{NAME}-kill", LIMITS)
        assert group is not None
        made = GroupTree(busy.pid, group)
        busy.start()
        made.freeze()
        made.kill()
        assert not any(Path(path).exists() for path in group.paths)
