"""Samples from outside: whose code runs, and that nothing is left stopped, attached or changed."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from assay.sampling.looks.clock_events import ClockEvents, SamplesRefused
from assay.sampling.looks.stopped_looks import StoppedLooks
from assay.sampling.mapped_objects import Owner
from assay.sampling.sampler import RATE_HZ, Sampler, Samples
from assay.sandbox.host.planned_call import ALONE, BatchOptions, Place, PlannedCall
from support.walls import Content, Inside, Room, wait_until

SPIN = "while True: pass"
NATIVE = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
while True:
    library.work()
"""
C_SOURCE = """
#include <math.h>
volatile double kept;
void work(void) {
  for (int i = 0; i < 200000; i++) kept = %s;
}
"""
TIMER = """
import signal
seen = 0
def handler(*_):
    global seen
    seen += 1
    if seen % 100 == 0:
        print(seen, flush=True)
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
while True:
    pass
"""
THREADS = """
import threading
def spin():
    sum(range(2000))
while True:
    threads = [threading.Thread(target=spin) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
"""
BETWEEN = """
import os, signal, sys
pid = os.fork()
if pid == 0:
    while True:
        pass
print(pid, flush=True)
while os.waitpid(pid, os.WNOHANG) == (0, 0):
    pass
"""
TRACED = """
import ctypes
ctypes.CDLL(None).ptrace(0, 0, 0, 0)  # its parent is its tracer now
print("traced", flush=True)
while True:
    pass
"""


BY_STOPPING = pytest.mark.parametrize("way", ["stopped"], indirect=True)


@pytest.fixture(autouse=True, params=["clocked", "stopped"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Who takes the samples: the kernel, or we by stopping threads."""
    if request.param == "clocked" and not _clocked_here():
        pytest.skip("the kernel takes no samples for this user")
    monkeypatch.setattr(Sampler, "clocked", request.param == "clocked")
    return str(request.param)


@functools.cache
def _clocked_here() -> bool:
    events = ClockEvents(1_000_000)
    try:
        events.watch([os.getpid()])
    except SamplesRefused:
        return False
    finally:
        events.close()
    return True


@contextlib.contextmanager
def running(source: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", textwrap.dedent(source), *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert wait_until(lambda: _field(process.pid, "State").startswith("R"))
        yield process
    finally:
        process.kill()
        process.communicate()


def sample(pid: int, scratch: str = "/nowhere", enough: int = 60, limit_s: float = 60.0) -> Samples:
    sampler = Sampler(lambda: [pid], scratch)
    sampler.start()
    wait_until(lambda: sampler.total >= enough, limit_s)
    return sampler.stop()


def _field(pid: int, name: str) -> str:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return line.partition(":")[2].strip()
    return ""


def _ran_s(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def _built(folder: Path, expression: str) -> str:
    source, target = folder / "work.c", folder / "libtorch_cpu.so"
    source.write_text(C_SOURCE % expression)
    command = ["cc", "-O1", "-fno-builtin", "-shared", "-fPIC", "-o", target, source, "-lm"]
    subprocess.run(command, check=True)
    return str(target)


def test_an_interpreted_loop_is_the_interpreter() -> None:
    with running(SPIN) as process:
        before, began = _ran_s(process.pid), time.monotonic()
        found = sample(process.pid)
        had = (_ran_s(process.pid) - before) / (time.monotonic() - began)  # of a processor
        assert found.reason == "" and found.total >= 20
        assert found.of(Owner.INTERPRETER) >= 0.6 * found.total
        spent_us = found.looked_at_us(100.0, 100.0 * had)
        assert found.thread_us(Owner.INTERPRETER, spent_us) == pytest.approx(100.0 * had, rel=0.6)
        assert _field(process.pid, "TracerPid") == "0"
        assert wait_until(lambda: _field(process.pid, "State").startswith("R"))


@pytest.mark.parametrize("expression", ["i * 0.5", "sin(i * 0.5)"])
def test_what_lies_in_the_scratch_folder_is_its_own(tmp_path: Path, expression: str) -> None:
    library = _built(tmp_path, expression)
    with running(NATIVE, library) as process:
        time.sleep(0.1)
        own = sample(process.pid, str(tmp_path))
        theirs = sample(process.pid, "/nowhere")
    assert own.of(Owner.OWN) >= 0.5 * own.total >= 10 and own.of(Owner.LIBRARY) == 0
    assert theirs.of(Owner.LIBRARY) >= 0.5 * theirs.total >= 10 and theirs.of(Owner.OWN) == 0
    assert theirs.objects[0][0].endswith("libtorch_cpu.so")


@BY_STOPPING
def test_a_stopped_process_stays_stopped_and_is_not_sampled() -> None:
    with running(SPIN) as process:
        os.kill(process.pid, signal.SIGSTOP)
        assert wait_until(lambda: _field(process.pid, "State").startswith("T"))
        found = sample(process.pid, limit_s=0.1)
        assert (found.total, found.reason) == (0, "")
        assert _field(process.pid, "State").startswith("T (stopped)")
        os.kill(process.pid, signal.SIGCONT)
        assert wait_until(lambda: _field(process.pid, "State").startswith("R"))


@BY_STOPPING
def test_stops_while_it_is_sampled_are_kept() -> None:
    with running(SPIN) as process:
        sampler = Sampler(lambda: [process.pid], "/nowhere", rate_hz=5000)
        sampler.start()
        for _ in range(40):
            os.kill(process.pid, signal.SIGSTOP)
            assert wait_until(lambda: _field(process.pid, "State").startswith("T (stopped)"))
            os.kill(process.pid, signal.SIGCONT)
            time.sleep(0.002)
        assert sampler.stop().reason == ""
        assert wait_until(lambda: _field(process.pid, "State").startswith("R"))
        assert _field(process.pid, "TracerPid") == "0"


@BY_STOPPING
def test_nobody_is_looked_at_while_the_tree_is_stopped() -> None:
    turn = threading.Lock()
    with running(SPIN) as process, turn:
        sampler = Sampler(lambda: [process.pid], "/nowhere", turn=turn)
        sampler.start()
        time.sleep(0.1)
        assert sampler.total == 0
        turn.release()
        assert wait_until(lambda: sampler.total > 0)
        turn.acquire()
        assert sampler.stop().reason == ""


@BY_STOPPING
def test_one_that_stops_too_late_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.sampling.looks.stopped_thread._STOP_TIMEOUT_S", 0.0)
    with running(TIMER) as process:
        sampler = Sampler(lambda: [process.pid], "/nowhere")
        sampler.start()
        time.sleep(0.2)
        assert process.stdout is not None
        assert int(process.stdout.readline()) == 100
        assert int(process.stdout.readline()) == 200
        assert sampler.stop().reason == ""
        assert _field(process.pid, "TracerPid") == "0"


@pytest.mark.parametrize("between", [False, True])
def test_its_end_is_told_to_its_parent(between: bool) -> None:
    """Whoever that is: this process, or one between us and it, as in a sandbox."""
    with running(BETWEEN if between else SPIN) as process:
        pid = process.pid
        if between:
            assert process.stdout is not None
            pid = int(process.stdout.readline())
        sampler = Sampler(lambda: [pid], "/nowhere", rate_hz=5000)
        sampler.start()
        time.sleep(0.05)
        os.kill(pid, signal.SIGKILL)
        assert process.wait(60) == (0 if between else -signal.SIGKILL)
        started = time.monotonic()
        assert sampler.stop().reason == ""
        assert time.monotonic() - started < 60.0


def test_signals_still_arrive() -> None:
    with running(TIMER) as process:
        found = sample(process.pid)
        assert found.reason == "" and found.total >= 20
        assert process.stdout is not None
        before = int(process.stdout.readline())
        assert int(process.stdout.readline()) == before + 100


def test_threads_that_come_and_go() -> None:
    with running(THREADS) as process:
        found = sample(process.pid)
        assert found.reason == "" and found.total >= 20
        assert process.poll() is None and _field(process.pid, "TracerPid") == "0"


@BY_STOPPING
def test_a_refusal_is_told() -> None:
    with running(TRACED) as process:
        assert process.stdout is not None and process.stdout.readline() == "traced\n"
        found = sample(process.pid, limit_s=0.1)
    assert found.total == 0 and "refused" in found.reason


def test_our_own_failure_is_told() -> None:
    def broken() -> list[int]:
        raise OSError("the group is gone")

    sampler = Sampler(broken, "/nowhere")
    sampler.start()
    assert sampler.stop().reason == "OSError: the group is gone"


PRODUCT = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return {expression}
"""
LOOP = """
import ctypes, subprocess, torch
open("k.c", "w").write('''
void k(const float* x, float* y, long n, long m) {
  for (long r = 0; r < 8; r++) for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++) y[j] += x[j * n + i];
}''')
subprocess.run("cc -O2 -shared -fPIC -o k.so k.c".split(), check=True)
K = ctypes.CDLL("./k.so").k
K.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2
class ModelNew(torch.nn.Module):
    def forward(self, x):
        turned, y = x.t().contiguous().double().float(), torch.zeros(x.shape[1])
        K(turned.data_ptr(), y.data_ptr(), *x.shape)
        return y
"""
# C++ that torch.compile writes calls Sleef's functions, which lie inside of torch.
MATHEMATICS = """
import ctypes, os, subprocess, torch
TORCH = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"))
WIDTH = 8 if hasattr(TORCH, "Sleef_expf8_u10") else 4
open("k.c", "w").write('''
typedef float v __attribute__((vector_size(4 * WIDTH)));
void k(v (*f)(v), const v* x, v* y, long n) { for (long i = 0; i < n; i++) y[i] = f(x[i]); }
''')
flags = [f"-DWIDTH={WIDTH}"] + ["-mavx"] * (WIDTH == 8)
subprocess.run(["cc", "-O2", *flags, "-shared", "-fPIC", "-o", "k.so", "k.c"], check=True)
K = ctypes.CDLL("./k.so").k
K.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]
EXP = ctypes.cast(getattr(TORCH, f"Sleef_expf{WIDTH}_u10"), ctypes.c_void_p)
class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        K(EXP, x.data_ptr(), y.data_ptr(), x.numel() // WIDTH)
        return y
"""
SIZE = 768


def _samples_inside(inside: Inside, source: str) -> Samples:
    inside.construct(source)
    call = PlannedCall(0, Place(0, ALONE), Content((torch.randn(SIZE, SIZE),)), ())
    options = BatchOptions(copy_each=False, poison=False, check_inputs=False)
    inside.run([call], options)
    sampler = Sampler(inside.session.process.processes.pids, inside.scratch_path)
    sampler.start()
    ends = time.monotonic() + 120.0
    while sampler.attributed < 60 and time.monotonic() < ends:
        inside.run([call] * 8, options)
    return sampler.stop()


def _only(*owners: Owner) -> Callable[[Samples], bool]:
    def judged(found: Samples) -> bool:
        both = found.of(Owner.OWN) + found.of(Owner.LIBRARY)
        return sum(found.of(o) for o in owners) >= 0.7 * both >= 12

    return judged


def test_torch_inside_the_sandbox(room: Room) -> None:
    with room.enter() as inside:
        found = _samples_inside(inside, PRODUCT.format(expression="x.t().contiguous().sum(0)"))
    assert found.reason == "" and _only(Owner.LIBRARY)(found), found
    assert found.in_torch >= 0.9 * found.of(Owner.LIBRARY)
    assert found.operators[0][0] == "sum_dim_IntList", found


def test_code_that_torch_generates_is_not_the_candidates(best_room: Room) -> None:
    with best_room.enter() as inside:
        source = PRODUCT.format(expression="torch.nn.functional.gelu(x)")
        found = _samples_inside(inside, source)
    assert found.reason == "" and _only(Owner.LIBRARY)(found), found


def test_mathematics_inside_of_torch_works_for_whoever_calls_it(best_room: Room) -> None:
    with best_room.enter() as inside:
        found = _samples_inside(inside, MATHEMATICS)
    assert found.reason == "" and _only(Owner.OWN)(found), found


def test_data_that_torch_moves_is_not_held_against_a_kernel(best_room: Room) -> None:
    with best_room.enter() as inside:
        found = _samples_inside(inside, LOOP)
    assert found.reason == "" and _only(Owner.OWN)(found), found
    assert found.of(Owner.MOVEMENT) > 0, found


@BY_STOPPING
def test_a_frozen_tree_is_not_looked_at() -> None:
    """No thread of it can run, so there is nothing to see; once it runs it is listed."""
    listed: list[int] = []

    def pids() -> list[int]:
        listed.append(1)
        return []

    thawed = threading.Event()
    sampler = Sampler(pids, "/scratch", rate_hz=2000.0, thawed=thawed)
    sampler.start()
    try:
        time.sleep(0.05)
        assert not listed
        thawed.set()
        assert wait_until(lambda: bool(listed))
    finally:
        assert sampler.stop().total == 0


@BY_STOPPING
def test_the_first_moment_after_a_thaw_is_as_random_as_any() -> None:
    """Of a gap in which a random moment lies, what is left: its mean is E[g^2] / 2 E[g]."""
    thawed = threading.Event()
    thawed.set()
    looks = StoppedLooks(RATE_HZ, threading.Lock(), thawed)
    left = [looks.await_thaw() for _ in range(20_000)]
    assert min(left) >= 0.0 and max(left) <= 1.6
    assert abs(sum(left) / len(left) - 0.56) < 0.02
