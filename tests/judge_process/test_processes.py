"""Real judge processes: what callers in threads get, what is left of the caller and of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assay import Settings, Status, evaluate, evaluate_many

TASK = """
import re
import torch
{top}
class Model(torch.nn.Module):
    def forward(self, x):
        {forward}
        return x * 2
N = 64
def get_inputs():
    {inputs}
    return [torch.randn(N, 8)]
def get_init_inputs():
    return []
"""
KERNEL = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x * 2
"""
IN_PYTHON = "while True: pass"
IN_C = "re.match(r'(a+)+$', 'a' * 60 + 'b')"  # holds the interpreter's lock
SETTINGS = Settings(level="smoke", timing=False, track="open", timeout_s=2.0)


def task(**code: str) -> str:
    return TASK.format(**({"top": "", "forward": "pass", "inputs": "pass"} | code))


# All three wait for a deadline; a task that hangs, of a caller that is killed, is below.
@pytest.mark.parametrize(
    ("code", "told"),
    [
        pytest.param(
            {"top": IN_PYTHON},
            "loading did not come back within 2 s (line 4, in <module>)",
            marks=pytest.mark.exhaustive,
        ),
        pytest.param({"forward": IN_C}, "(line 7, in forward)", marks=pytest.mark.exhaustive),
        pytest.param({"inputs": IN_C}, "(line 11, in get_inputs)", marks=pytest.mark.exhaustive),
    ],
)
def test_a_task_that_hangs_is_invalid_in_time(code: dict[str, str], told: str) -> None:
    before = descendants(os.getpid())  # other tests of this process may keep some
    first, second = evaluate_many(task(**code), [KERNEL, KERNEL], SETTINGS)
    assert (first.verdict.status, second.verdict.status) == (Status.INVALID_TASK,) * 2
    assert told in first.verdict.reason
    assert descendants(os.getpid()) <= before


@pytest.mark.exhaustive  # a Judge's tasks end the same process: tests/engine/test_judge.py
def test_a_task_that_ends_its_process_is_invalid() -> None:
    verdict = evaluate(task(inputs="import os; os._exit(3)"), KERNEL, SETTINGS)
    assert verdict.status is Status.INVALID_TASK
    assert "ended the process: exit code 3" in verdict.reason


def descendants(pid: int) -> set[int]:
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def wait_for(what: Callable[[], object], seconds: float = 60.0) -> None:
    deadline_s = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline_s, "it did not happen in time"
        time.sleep(0.05)


HANGING_CALLER = f"""
import sys
from assay import evaluate
evaluate({task(inputs=IN_C)!r}, {KERNEL!r}, level="smoke", timing=False, timeout_s=600)
"""


def test_a_caller_that_is_killed_leaves_no_process_though_the_task_hangs_in_c() -> None:
    caller = subprocess.Popen([sys.executable, "-c", HANGING_CALLER])
    wait_for(lambda: len(descendants(caller.pid)) >= 3, 240.0)  # supervisor, judge, warm parent
    time.sleep(1.0)
    tree = descendants(caller.pid)
    caller.send_signal(signal.SIGKILL)
    caller.wait()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in tree))


def test_an_iterator_that_is_closed_early_leaves_no_process() -> None:
    before = descendants(os.getpid())
    results = evaluate_many(task(), [KERNEL, KERNEL, KERNEL], SETTINGS)
    assert next(results).verdict.status is Status.ACCEPTED
    assert descendants(os.getpid()) > before
    results.close()
    assert descendants(os.getpid()) <= before


CALLER = f"""
import json, os, signal, sys, threading
from concurrent.futures import ThreadPoolExecutor
from assay import evaluate

def state():
    return dict(
        descriptors=sorted(os.listdir("/proc/self/fd")),
        threads=threading.active_count(),
        handlers=[str(signal.getsignal(n)) for n in signal.valid_signals()],
        environment=dict(os.environ),
        folder=os.getcwd(),
        path=list(sys.path),
        stdout=[id(sys.stdout), os.fstat(1).st_ino],
        children=open(f"/proc/{{os.getpid()}}/task/{{os.getpid()}}/children").read(),
        torch="torch" in sys.modules,
    )

def judged(kernel):
    verdict = evaluate({task()!r}, kernel, level="smoke", timing=False, track="open")
    return verdict.status.value, list(verdict.stages)

right, wrong = {KERNEL!r}, {KERNEL.replace("x * 2", "x * 2.001")!r}
before = state()
with ThreadPoolExecutor(2) as pool:
    found = list(pool.map(judged, [wrong, right] * int(sys.argv[1])))
print(json.dumps([before, state(), found]))
"""


@pytest.mark.parametrize("rounds", [1, pytest.param(2, marks=pytest.mark.exhaustive)])
def test_two_threads_get_the_labelled_verdicts_and_the_caller_stays_as_it_was(rounds: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CALLER, str(rounds)], capture_output=True, text=True, check=True
    )
    before, after, found = json.loads(done.stdout)
    statuses = [status for status, _ in found]
    assert statuses == ["incorrect", "accepted"] * rounds
    for _, stages in found:
        plain = [stage for stage in stages if not stage.startswith("check:")]
        begun = ["drawing", "reading the source", "starting", "building", "calling"]
        assert plain[:5] == begun
        assert plain[-3:] == ["closing", "trivial answers", "limits"]
    assert after == before and before["torch"] is False
