"""Whether a rewritten runner shows from outside, also where the process itself says nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from assay.sandbox.child import timed_calls
from assay.sandbox.host.runner_reading import changed_runner
from assay.sandbox.protocol.runner_layout import runner_memory

RUN = "runner.child.timed_calls.TimedCalls.run"


def _other(self: object, length: int) -> int:
    return 0 * length


@contextmanager
def _forked(act: Callable[[], None]) -> Iterator[int]:
    """A process whose first child has done something and waits."""
    read_end, write_end = os.pipe()
    parent = os.fork()
    if parent == 0:
        if os.fork() == 0:
            act()
            os.write(write_end, b"r")
        time.sleep(60)
        os._exit(0)
    os.read(read_end, 1)
    with open(f"/proc/{parent}/task/{parent}/children") as file:
        child = int(file.read().split()[0])
    try:
        yield parent
    finally:
        for pid in (child, parent):
            os.kill(pid, 9)
        os.waitpid(parent, 0)
        os.close(read_end)
        os.close(write_end)


def _replace_method() -> None:
    setattr(timed_calls.TimedCalls, "run", _other)  # noqa: B010


def _replace_code() -> None:
    timed_calls.TimedCalls.run.__code__ = _other.__code__


def _replace_function() -> None:
    setattr(timed_calls, "hand_over", _other)  # noqa: B010


def _replace_clock() -> None:
    setattr(time, "perf_counter_ns", _other)  # noqa: B010


@pytest.mark.parametrize(
    ("act", "name"),
    [
        (_replace_method, RUN),
        (_replace_code, f"{RUN}.__code__"),
        (_replace_function, "runner.child.timed_calls.hand_over"),
        (_replace_clock, "time.perf_counter_ns"),
    ],
)
def test_what_is_replaced_is_named(act: Callable[[], None], name: str) -> None:
    memory = runner_memory()
    with _forked(act) as pid:
        assert [line.partition("\t")[0] for line in changed_runner(pid, memory)] == [name]


def _add_names() -> None:
    """A namespace that grows moves its table."""
    vars(timed_calls).update({f"added_{number}": number for number in range(500)})


@pytest.mark.parametrize("act", [lambda: None, _add_names])
def test_nothing_is_said_of_a_runner_as_it_was(act: Callable[[], None]) -> None:
    memory = runner_memory()
    assert len(memory.namespaces) > 10 and len(memory.words) > 100
    with _forked(act) as pid:
        assert changed_runner(pid, memory) == []


def test_a_process_that_is_gone_is_no_evidence() -> None:
    assert changed_runner(1 << 30, runner_memory()) == []
