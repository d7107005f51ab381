"""Rooms for tests: walls by the road they take, and a candidate that tells what it finds inside."""

from __future__ import annotations

import contextlib
import json
import os
import textwrap
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from assay.languages.torch_language import TorchLanguage
from assay.sandbox.host import scratch
from assay.sandbox.host.call_content import Content
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import ALONE, BatchOptions, Place, PlannedCall, Spot
from assay.sandbox.host.raw_call import BatchResult
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import SandboxLimits, Wall
from assay.sandbox.layers import landlock
from assay.sandbox.layers.probe import best_isolation
from assay.sandbox.layers.spec import Isolation
from assay.sandbox.protocol.replies import Reply
from assay.sandbox.protocol.requests import Construct, Load

ROOMS = SandboxLimits(
    memory_bytes=1 << 30, scratch_bytes=16 << 20, processes=6, tasks=256, threads=1
)
LIMIT_S = 60.0  # on a busy machine too
_FORCE = "ASSAY_ISOLATION"


def offered() -> list[str]:
    """The roads this machine can take; the tests of a road it lacks do not exist on it."""
    found = [best_isolation().value]
    if landlock.abi() >= 6 and Isolation.LANDLOCK.value not in found:
        found.append(Isolation.LANDLOCK.value)
    return found


ROADS = offered()


@contextlib.contextmanager
def forced(isolation: str) -> Iterator[None]:
    """The variable by which a user tries a lesser road."""
    before = os.environ.get(_FORCE)
    os.environ[_FORCE] = isolation
    try:
        yield
    finally:
        del os.environ[_FORCE]
        if before is not None:
            os.environ[_FORCE] = before


@dataclass
class Inside:
    """One open session with short ways to ask it."""

    session: Session
    scratch_path: str

    def write(self, source: str, name: str = "kernel.py") -> None:
        text = textwrap.dedent(source).encode()
        scratch.write_file(self.session.process.scratch, f"kernel/{name}", text)

    def load(self, source: str, limit_s: float = LIMIT_S) -> Reply:
        """Import the source as a candidate; `ModelNew` is added where it has none."""
        self.write(source if "ModelNew" in source else f"{source}\nclass ModelNew: pass\n")
        request = Load(f"{self.scratch_path}/kernel/kernel.py", "ModelNew", TorchLanguage(), False)
        return self.session.ask(request, Deadline.after(limit_s))

    def tell(self, source: str) -> Any:
        """Run the source inside; the value of its `answer`, by way of what it prints."""
        head = "import errno, json, os, sys\n"
        text = f"{head}{textwrap.dedent(source)}\nprint(json.dumps(answer), flush=True)\n"
        reply = self.load(text)
        assert reply.code == 0, self.session.statement()
        return json.loads(self.session.process.output().splitlines()[-1])

    def construct(self, source: str) -> None:
        """Import the source and make instance 0."""
        assert self.load(source).code == 0, self.session.statement()
        reply = self.session.ask(Construct(0, (), (), 1, False), Deadline.after(LIMIT_S))
        assert reply.code == 0, self.session.statement()

    def run(
        self,
        calls: Sequence[PlannedCall],
        options: BatchOptions | None = None,
        limit_s: float = LIMIT_S,
    ) -> BatchResult:
        return self.session.run(calls, options or BatchOptions(), Deadline.after(limit_s))

    def one(
        self, tensor: torch.Tensor, spot: Spot = ALONE, limit_s: float = LIMIT_S
    ) -> BatchResult:
        """One call on one tensor, with room for an output of its size."""
        return self.run([planned(tensor, spot)], limit_s=limit_s)


def planned(tensor: torch.Tensor, spot: Spot = ALONE, fresh: bool = False) -> PlannedCall:
    return PlannedCall(0, Place(0, spot), Content((tensor,)), (tensor.nbytes,), fresh=fresh)


def result(batch: BatchResult, call: int = 0) -> torch.Tensor:
    """The only output of one call; fails with the candidate's words where there is none."""
    found = batch.calls[call]
    assert found.outputs[0].tensor is not None, found.record
    return found.outputs[0].tensor


@dataclass(frozen=True)
class Room:
    """A wall and the road it was told to take."""

    wall: Wall
    road: str

    @contextlib.contextmanager
    def enter(self) -> Iterator[Inside]:
        with forced(self.road):
            session = Session(self.wall)
            try:
                yield Inside(session, session.process.scratch_path)
            finally:
                session.close()


class SharedRooms(dict[str, Room]):
    """The rooms by road; the wall of each starts when it is first asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._stack = contextlib.ExitStack()

    def __missing__(self, road: str) -> Room:
        self[road] = Room(self._stack.enter_context(Wall((), ROOMS)), road)
        return self[road]

    def close(self) -> None:
        self._stack.close()


def alive(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(condition: Any, limit_s: float = 60.0) -> bool:
    """Whether the condition comes true in time."""
    ends = time.monotonic() + limit_s
    while time.monotonic() < ends:
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())
