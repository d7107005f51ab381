"""What isolation adds to a candidate. The goal is less than 100 ms.

    python benchmarks/isolation.py

The same candidate is imported, constructed and called once in a bare fork of a warm parent, and
behind the wall: control groups, fork, namespaces, a root of its own, seccomp, and their end. Both
parents are warm with the same modules; the two roads take turns, so that a busy machine slows both,
and the load is printed where there was more to do than processors.
In a run the next sandbox is raised while a candidate is judged, which hides most of this.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from assay.languages.torch_language import TorchLanguage
from assay.sandbox.host import scratch
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.wall import Wall
from assay.sandbox.protocol.replies import ReplyCode
from assay.sandbox.protocol.requests import Construct, Load

ROUNDS = 15
GOAL_MS = 100.0
MODULES = ("torch", "torch.utils.cpp_extension", "torch.nn.functional", "numpy", "numba", "triton")
_TIMEOUT_S = 30.0
_KERNEL = "kernel/kernel.py"

CANDIDATE = """
import torch

class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self(torch.rand(64, 64))

    def forward(self, x):
        return torch.softmax(x, dim=-1)
"""

BARE_PARENT = """
import gc, importlib, importlib.util, os, sys
for name in sys.argv[2:]:
    importlib.import_module(name)
gc.collect()
gc.freeze()
print("warm", flush=True)
for _ in sys.stdin:
    pid = os.fork()
    if pid == 0:
        try:
            spec = importlib.util.spec_from_file_location("kernel", sys.argv[1])
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            module.ModelNew()
            os._exit(0)
        finally:
            os._exit(1)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


@dataclass(frozen=True)
class IsolationCost:
    """Milliseconds of one candidate on both roads, round by round."""

    bare_ms: tuple[float, ...]
    walled_ms: tuple[float, ...]
    load: float  # processes that wanted to run in the minute before, this one not among them

    @property
    def added_ms(self) -> float:
        """The median over the rounds of what the wall adds."""
        pairs = zip(self.walled_ms, self.bare_ms, strict=True)
        return statistics.median(walled - bare for walled, bare in pairs)

    def line(self) -> str:
        """One sentence with the figures."""
        bare, walled = statistics.median(self.bare_ms), statistics.median(self.walled_ms)
        busy = f"; the machine was busy (load {self.load:.1f})" if self.load > cores() else ""
        return (
            f"isolation adds {self.added_ms:.0f} ms to a candidate (goal: below {GOAL_MS:.0f}): "
            f"{walled:.0f} ms behind the wall, {bare:.0f} ms in a bare fork, "
            f"medians of {len(self.bare_ms)}; {min(self.walled_ms) - min(self.bare_ms):.0f} ms "
            f"between the fastest of each{busy}"
        )


def cores() -> int:
    return len(os.sched_getaffinity(0))


def measure(rounds: int = ROUNDS) -> IsolationCost:
    load = os.getloadavg()[0]
    with bare_parent() as parent, Wall(MODULES) as wall:
        bare, walled = partial(bare_fork, parent), partial(behind_the_wall, wall)
        bare(), walled()  # the first of each finds cold pages
        pairs = [(milliseconds(bare), milliseconds(walled)) for _ in range(rounds)]
    return IsolationCost(tuple(b for b, _ in pairs), tuple(w for _, w in pairs), load)


@contextmanager
def bare_parent() -> Iterator[subprocess.Popen[str]]:
    """A warm parent that forks once a line, without any wall."""
    with tempfile.TemporaryDirectory() as folder:
        kernel = Path(folder) / "kernel.py"
        kernel.write_text(CANDIDATE)
        command = [sys.executable, "-c", BARE_PARENT, str(kernel), *MODULES]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "TRITON_INTERPRET": "1"}
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, stdin=pipe, stdout=pipe, text=True, env=environment
        ) as parent:
            assert parent.stdout is not None and parent.stdout.readline() == "warm\n"
            yield parent


def bare_fork(parent: subprocess.Popen[str]) -> None:
    assert parent.stdin is not None and parent.stdout is not None
    parent.stdin.write("fork\n")
    parent.stdin.flush()
    assert parent.stdout.readline() == "0\n", "the bare fork failed"


def behind_the_wall(wall: Wall) -> None:
    process = wall.raise_sandbox()
    scratch.write_file(process.scratch, _KERNEL, CANDIDATE.encode())
    deadline = Deadline.after(_TIMEOUT_S)
    path = f"{process.scratch_path}/{_KERNEL}"
    process.ask(Load(path, "ModelNew", TorchLanguage(), False), deadline)
    reply, _ = process.ask(Construct(0, (), (), 0, True), deadline)
    assert reply.code == ReplyCode.OK, "the candidate failed behind the wall"
    wall.end(process)


def milliseconds(road: Callable[[], None]) -> float:
    start = time.perf_counter()
    road()
    return 1e3 * (time.perf_counter() - start)


if __name__ == "__main__":
    print(measure().line())
