"""Limits: for the candidate, for its compiler, and for a machine that others keep busy."""

from __future__ import annotations

import time

from assay.sandbox.host.deadline import Deadline, own_seconds


def test_it_passes() -> None:
    assert not Deadline.after(60.0).passed()
    assert Deadline.after(-0.001).passed()


def test_a_compilers_time_is_given_back() -> None:
    """After its compiler a candidate has as much time left as it had before."""
    deadline = Deadline.after(0.05, compiling_s=60.0)
    time.sleep(0.1)
    assert not deadline.passed(compiling=True)
    assert not deadline.passed()
    time.sleep(0.1)
    assert deadline.passed()


def test_a_compiler_has_a_limit_too() -> None:
    deadline = Deadline.after(0.01, compiling_s=0.03)
    time.sleep(0.05)
    assert deadline.passed(compiling=True)


def test_waiting_for_a_processor_is_given_back() -> None:
    deadline = Deadline.after(0.05)
    time.sleep(0.1)
    assert not deadline.passed(queued_s=0.09)
    time.sleep(0.1)
    assert deadline.passed(queued_s=0.0)


def test_no_more_is_given_back_than_has_passed() -> None:
    deadline = Deadline.after(0.05)
    assert not deadline.passed(queued_s=60.0)
    time.sleep(0.1)
    assert deadline.passed()


def test_waiting_ends_when_the_limit_has_passed_three_times() -> None:
    deadline = Deadline.after(0.05)
    began = time.monotonic()
    while not deadline.passed(queued_s=60.0):
        time.sleep(0.01)
    assert time.monotonic() - began > 0.14


def test_who_queues_all_the_time_still_uses_up_its_own() -> None:
    """A hundred threads of its own must not buy a candidate a hundred times the limit."""
    assert own_seconds(9.0, queued_s=2.0) == 7.0
    assert own_seconds(9.0, queued_s=9.0) == 3.0


def test_what_the_host_compiles_is_a_compilation() -> None:
    deadline = Deadline.after(0.05, compiling_s=10.0)
    deadline.compiling = True
    time.sleep(0.1)
    assert not deadline.passed() and 9.0 < deadline.compiling_left_s() < 10.0
    deadline.compiling = False
    time.sleep(0.1)
    assert deadline.passed()


def test_what_the_host_does_for_itself_counts_for_nobody() -> None:
    deadline = Deadline.after(0.05, compiling_s=0.05)
    deadline.stopped = True
    time.sleep(0.1)
    assert not deadline.passed()
    deadline.stopped = False
    time.sleep(0.1)
    assert deadline.passed(compiling=True)
