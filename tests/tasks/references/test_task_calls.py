"""The table of calls into task code: what another process reads from it, and who writes to it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import pytest

from assay.tasks.references import task_calls
from assay.tasks.references.task_calls import TaskCalls
from assay.tasks.references.task_source import user_code


@pytest.fixture
def table() -> Iterator[TaskCalls]:
    """A table that this process announces its calls in, until the test is over."""
    descriptor = TaskCalls.create()
    task_calls.announce_in(descriptor)
    yield TaskCalls(descriptor)
    task_calls._announcer = None
    os.close(descriptor)


def going_on(table: TaskCalls) -> str:
    call = table.longest()
    return call.what if call is not None else ""


def test_a_call_is_seen_while_it_goes_on_and_not_after_it_failed(table: TaskCalls) -> None:
    assert going_on(table) == ""
    with user_code("t", "get_inputs"):
        assert going_on(table) == "task 't': get_inputs"
    assert going_on(table) == ""
    with pytest.raises(Exception, match="loading failed"), user_code("t", "loading"):
        raise ValueError
    assert going_on(table) == ""


def test_the_outermost_call_counts(table: TaskCalls) -> None:
    with user_code("t", "outer"):
        with user_code("t", "inner"):
            assert going_on(table) == "task 't': outer"
        assert going_on(table) == "task 't': outer"


def test_the_longest_of_several_threads_is_told(table: TaskCalls) -> None:
    ends = threading.Event()

    def other() -> None:
        with user_code("t", "later"):
            ends.wait(10)

    with user_code("t", "earlier"):
        time.sleep(0.02)
        thread = threading.Thread(target=other)
        thread.start()
        while sum(table._read(slot) is not None for slot in range(4)) < 2:
            time.sleep(0.001)
        assert going_on(table) == "task 't': earlier"
    assert going_on(table) == "task 't': later"
    ends.set()
    thread.join()
    assert going_on(table) == ""


def test_seconds_grow(table: TaskCalls) -> None:
    with user_code("t", "slow"):
        first = table.longest()
        time.sleep(0.05)
        second = table.longest()
    assert first is not None and second is not None
    assert second.seconds - first.seconds >= 0.05


def test_a_forked_copy_writes_nothing(table: TaskCalls) -> None:
    with user_code("t", "parent"):
        pid = os.fork()
        if pid == 0:
            with user_code("t", "child"):
                pass
            os._exit(0)
        os.waitpid(pid, 0)
        assert going_on(table) == "task 't': parent"


def test_long_and_odd_names_do_not_spill_into_the_next_row(table: TaskCalls) -> None:
    with user_code("ü" * 1000, "x"):
        assert going_on(table).startswith("task 'ü")
        assert table._read(1) is None
