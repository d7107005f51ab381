"""Whatever happens to the host, no process and no folder stays behind."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.walls import ROADS, alive, wait_until

# A host whose candidates never answer and have a child of their own; tells what it started.
HOST = """
import contextlib, json, sys, threading, time
sys.path.insert(0, sys.argv[1])
from support.walls import ROOMS, Room, planned
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.wall import Wall
import torch
DEAF = '''
import os, time
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        if os.fork() == 0:
            os.setsid()
        while True:
            time.sleep(100)
'''
wall, kept = Wall((), ROOMS), []
told = {"zygote": [[wall._zygote._process.pid], []]}
for road in sys.argv[2:]:
    for manner in ("running", "frozen"):
        kept.append(Room(wall, road).enter())
        inside = kept[-1].__enter__()
        inside.construct(DEAF)
        def call(inside=inside):
            with contextlib.suppress(Exception):
                inside.one(torch.ones(4), limit_s=60)
        threading.Thread(target=call, daemon=True).start()
        tree = inside.session.process.processes
        while len(tree.pids()) < 3:
            time.sleep(0.01)
        if manner == "frozen":
            tree.freeze()
        groups = getattr(getattr(tree, "_group", None), "paths", ())
        told[f"{road} {manner}"] = [tree.pids(), groups]
paths = [process.scratch_path for process in wall._open]
told["scratch"] = [[], [path for path in paths if path != "/scratch"]]
print(json.dumps(told), flush=True)
sys.stdin.readline()
wall.close()
print("closed", flush=True)
sys.stdin.readline()
"""
KEYS = ["zygote", *(f"{road} {manner}" for road in ROADS for manner in ("running", "frozen"))]


@dataclass
class Things:
    """Processes and folders that one sandbox consists of."""

    pids: list[int]
    folders: list[Path]

    def left(self) -> list[str]:
        processes = [f"process {pid}" for pid in self.pids if alive(pid)]
        return processes + [str(path) for path in self.folders if path.exists()]

    def clear(self) -> None:
        """A failing test must not leave what it found."""
        for pid in filter(alive, self.pids):
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not any(map(alive, self.pids)))
        for folder in self.folders:
            with contextlib.suppress(OSError):  # groups are emptied by their kernel
                shutil.rmtree(folder) if "scratch-" in folder.name else folder.rmdir()


@contextlib.contextmanager
def _host() -> Iterator[tuple[subprocess.Popen[str], dict[str, Things]]]:
    tests = str(Path(__file__).resolve().parents[1])
    command = [sys.executable, "-c", HOST, tests, *ROADS]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    told = json.loads(process.stdout.readline())
    things = {key: Things(pids, [Path(p) for p in paths]) for key, (pids, paths) in told.items()}
    try:
        yield process, things
    finally:
        process.kill()
        process.communicate()
        for one in things.values():
            one.clear()


def _aftermath(things: dict[str, Things]) -> dict[str, list[str]]:
    wait_until(lambda: not any(things[key].left() for key in KEYS), 20.0)
    return {key: one.left() for key, one in things.items()}


@pytest.fixture(scope="module")
def after_a_kill() -> dict[str, list[str]]:
    """What is left of each sandbox after the host was killed."""
    with _host() as (process, things):
        assert all(all(map(alive, things[key].pids)) for key in KEYS)
        process.send_signal(signal.SIGKILL)
        process.wait()
        return _aftermath(things)


@pytest.fixture(scope="module")
def after_closing() -> dict[str, list[str]]:
    """What is left of each sandbox after the wall was closed, the host still alive."""
    with _host() as (process, things):
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "closed\n"
        return _aftermath(things)


@pytest.mark.parametrize("key", KEYS)
def test_a_killed_host_takes_everything_along(key: str, after_a_kill: dict[str, list[str]]) -> None:
    assert after_a_kill[key] == []


@pytest.mark.parametrize("key", [*KEYS, "scratch"])
def test_a_closed_wall_leaves_nothing(key: str, after_closing: dict[str, list[str]]) -> None:
    assert after_closing[key] == []
