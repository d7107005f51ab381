"""What a process's threads do, read from outside."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from assay.sandbox.host.activity import queued_ns, runnable_seconds, thread_count, wants_processor
from support.walls import wait_until

SPIN = "print('up', flush=True)\nwhile True: pass"
WAIT = "print('up', flush=True)\ninput()"


@contextmanager
def running(code: str, copies: int = 1) -> Iterator[list[int]]:
    """Python processes that have said that they are up."""
    made = [
        subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for _ in range(copies)
    ]
    try:
        for one in made:
            assert one.stdout is not None and one.stdout.readline()
        yield [one.pid for one in made]
    finally:
        for one in made:
            one.kill()
            one.communicate()


def test_a_busy_thread_is_as_busy_on_a_crowded_machine() -> None:
    """Most of the time it waits for a processor; that counts as wanting one."""
    with running(SPIN, copies=4 * len(os.sched_getaffinity(0))) as pids:
        before, began = runnable_seconds(pids[0]), time.monotonic()

        def is_busy() -> bool:  # a turn in the queue counts when it is over
            return runnable_seconds(pids[0]) - before > 0.5 * max(0.5, time.monotonic() - began)

        assert wait_until(is_busy)
        assert wants_processor(pids[0])


def test_a_thread_on_a_crowded_machine_queues() -> None:
    began = time.monotonic()
    with running(SPIN, copies=4 * len(os.sched_getaffinity(0))) as pids:

        def queued_s() -> float:
            return max(queued_ns(pids[0]).values()) / 1e9

        assert wait_until(lambda: queued_s() > 0.2 * max(0.5, time.monotonic() - began))
        assert queued_s() < time.monotonic() - began


def test_who_waits_for_input_wants_nothing() -> None:
    with running(WAIT) as (pid,):
        deadline = time.monotonic() + 60.0
        while wants_processor(pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        before = runnable_seconds(pid)
        time.sleep(0.1)
        assert not wants_processor(pid)
        assert runnable_seconds(pid) - before < 0.05


def test_who_is_gone_wants_nothing() -> None:
    with running(WAIT) as (pid,):
        pass
    assert runnable_seconds(pid) == 0.0
    assert not wants_processor(pid)


def test_of_a_process_that_is_gone_nothing_is_known() -> None:
    with running(WAIT) as (pid,):
        assert thread_count(pid) > 0
    assert (runnable_seconds(pid), queued_ns(pid), wants_processor(pid)) == (0.0, {}, False)
    assert thread_count(pid) == 0
