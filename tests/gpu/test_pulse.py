"""Work that is left on the device: told by who left it, and felt by who has to wait for it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.wall import Wall
from support.walls import Inside, result

_UNJOINED = """
import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.side = torch.cuda.Stream()
    def forward(self, x):
        with torch.cuda.stream(self.side):
            torch.cuda._sleep(4_000_000)
        return x + 1
"""
_JOINED = """
import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.side = torch.cuda.Stream()
    def forward(self, x):
        with torch.cuda.stream(self.side):
            torch.cuda._sleep(4_000_000)
        torch.cuda.current_stream().wait_stream(self.side)
        return x + 1
"""
_SPINS = """
import sys, torch
torch.cuda._sleep(1)
torch.cuda.synchronize()
torch.cuda._sleep(2**62)  # one thread of one block
print("spinning", flush=True)
sys.stdin.read()
"""


@contextmanager
def somebody_else() -> Iterator[None]:
    """Another process that keeps the device at work with one thread."""
    command = [sys.executable, "-c", _SPINS]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "spinning\n"
            yield
        finally:
            process.kill()


def unjoined(inside: Inside, source: str) -> bool:
    inside.construct(source)
    for _ in range(4):
        assert torch.equal(result(inside.one(torch.zeros(1000))), torch.ones(1000))
    lines = inside.session.survey(Deadline.after(10.0))
    return any(line.startswith("cuda.unjoined_work") for line in lines)


def test_work_on_a_stream_that_nobody_joins_is_told(inside: Inside) -> None:
    assert unjoined(inside, _UNJOINED)


def test_work_on_a_stream_that_is_joined_is_nothing_to_tell(inside: Inside) -> None:
    assert not unjoined(inside, _JOINED)


def test_one_thread_of_another_process_is_felt(wall: Wall) -> None:
    idle_probe = wall.idle_probe
    assert (
        idle_probe is not None
        and not idle_probe.busy_before
        and idle_probe.surely_busy_us() is None
    )
    with somebody_else():
        assert idle_probe.surely_busy_us() is not None
    assert idle_probe.surely_busy_us() is None
