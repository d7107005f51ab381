"""Samples by processor time: of whom, how many, and that the refused is told."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.sampling.looks import clock_events
from assay.sampling.looks.clock_events import ClockEvents, ClockSample, SamplesRefused
from support.walls import wait_until

SPIN = "while True: pass"
SLEEP = "import time; print('there', flush=True); time.sleep(60)"
THREADS = """
import threading
input()
def spin():
    while True:
        pass
threading.Thread(target=spin, daemon=True).start()
threading.Event().wait()
"""
FORKS = """
import os, sys
input()
pid = os.fork()
if not pid:
    total = sum(range(2_000_000))
    os._exit(0)
os.waitpid(pid, 0)
print(pid, flush=True)
input()
"""
PERIOD_NS = 1_000_000


@contextlib.contextmanager
def running(source: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", source]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def watched(pid: int) -> Iterator[ClockEvents]:
    events = ClockEvents(PERIOD_NS)
    try:
        events.watch([pid])
    except SamplesRefused as error:
        events.close()
        pytest.skip(f"the kernel takes no samples for this user: {error}")
    try:
        yield events
    finally:
        events.close()


def ran_ns(pid: int) -> int:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def test_a_sample_stands_for_a_period_of_processor_time() -> None:
    with running(SPIN) as process:
        assert wait_until(lambda: ran_ns(process.pid) > 20 * PERIOD_NS)
        with watched(process.pid) as events:
            before, found = ran_ns(process.pid), list[ClockSample]()
            ends = time.monotonic() + 20.0
            while len(found) < 60 and time.monotonic() < ends:
                time.sleep(0.01)
                found += events.drain()
            periods = (ran_ns(process.pid) - before) / PERIOD_NS
    assert {(one.pid, one.tid) for one in found} == {(process.pid, process.pid)}
    assert len(found) == pytest.approx(periods, rel=0.3)
    assert all(one.registers.pc and one.registers.stack and one.stack for one in found)


def test_threads_that_are_made_later_are_sampled_too() -> None:
    with running(THREADS) as process, watched(process.pid) as events:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        found: set[int] = set()

        def met() -> bool:
            found.update(one.tid for one in events.drain())
            return bool(found - {process.pid})

        assert wait_until(met)


def test_whose_child_a_process_was_is_known_when_it_is_gone() -> None:
    with running(FORKS) as process, watched(process.pid) as events:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        child = int(process.stdout.readline())
        assert child in {one.pid for one in events.drain()}
        assert events.parents == {child: process.pid}


def test_who_waits_is_not_sampled() -> None:
    with running(SLEEP) as process:
        assert process.stdout is not None and process.stdout.readline() == "there\n"
        with watched(process.pid) as events:
            time.sleep(0.1)
            assert events.drain() == []


def test_a_thread_that_is_gone_is_left_out() -> None:
    with running(SPIN) as process:
        pass
    with watched(process.pid) as events:
        assert events.drain() == []


def test_too_many_threads_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock_events, "_MOST_EVENTS", 0)
    with pytest.raises(SamplesRefused, match="1 threads on"):
        ClockEvents(PERIOD_NS).watch([os.getpid()])


def test_a_record_that_was_kept_outlives_the_reading_and_the_others_are_gone() -> None:
    with running(SPIN) as process, watched(process.pid) as events:
        assert wait_until(lambda: ran_ns(process.pid) > 50 * PERIOD_NS)
        with events.reading() as samples:
            first, second = samples[:2]
            first.keep()
        time.sleep(0.05)
        assert events.drain()  # the ring went on
        assert first.registers.pc and first.stack
        with pytest.raises(LookupError, match="no longer"):
            _ = second.record


def test_no_sample_is_read_twice() -> None:
    with running(SPIN) as process, watched(process.pid) as events:
        found: list[int] = []

        def some() -> bool:
            with events.reading() as samples:
                found.extend(one.time_ns for one in samples)
            return len(found) > 40

        assert wait_until(some)
    assert len(set(found)) == len(found)
