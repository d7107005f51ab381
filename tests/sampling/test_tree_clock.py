"""Processor time of processes and of whatever they make, also where nobody waits for that."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from assay.sampling import tree_clock as module
from assay.sampling.looks.clock_events import SamplesRefused, counting, opened
from assay.sampling.tree_clock import tree_clock

WORK_NS = 200_000_000
FORKS = """
import os, signal, sys, time
def work(seconds):
    begun = time.process_time()
    while time.process_time() < begun + seconds:
        pass
print("there", flush=True)
for _ in sys.stdin:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the time of who is gone is told to nobody
    for _ in range(4):
        pid = os.fork()
        if not pid:
            work(0.05)
            os._exit(0)
        try:
            os.waitpid(pid, 0)
        except ChildProcessError:
            pass
    print("done", flush=True)
"""


def _told() -> int:
    """The time that processes take which work for WORK_NS in children of their own."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", FORKS]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == "there\n"
        with tree_clock(lambda: [process.pid]) as now_ns:
            before_ns = now_ns()
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.readline() == "done\n"
            return now_ns() - before_ns


def test_children_that_nobody_waited_for_are_counted() -> None:
    try:
        os.close(opened(0, -1, counting()))
    except SamplesRefused as error:
        pytest.skip(f"the kernel counts for nobody: {error}")
    assert 0.9 * WORK_NS < _told() < 2.0 * WORK_NS


def test_where_the_kernel_does_not_count_the_clock_of_the_process_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: object) -> int:
        raise SamplesRefused("not for this user")

    monkeypatch.setattr(module, "opened", refused)
    assert 0 < _told() < 0.5 * WORK_NS
