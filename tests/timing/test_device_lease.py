"""Calls share the device, timing has it alone, and nobody waits for ever."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from assay.timing.device_lease import DeviceLease, Hold


class Party:
    """Threads that enter a hold, say so, and leave when they are told to."""

    def __init__(self) -> None:
        self.inside: list[str] = []
        self._leave: dict[str, threading.Event] = {}
        self._threads: list[threading.Thread] = []

    def enter(self, name: str, *holds: Callable[[], AbstractContextManager[None]]) -> None:
        leave = self._leave[name] = threading.Event()

        def run() -> None:
            if len(holds) == 2:
                with holds[0](), holds[1]():
                    self._stay(name, leave)
            else:
                with holds[0]():
                    self._stay(name, leave)

        self._threads.append(threading.Thread(target=run, daemon=True))
        self._threads[-1].start()

    def _stay(self, name: str, leave: threading.Event) -> None:
        self.inside.append(name)
        leave.wait(120.0)
        self.inside.remove(name)

    def leave(self, name: str) -> None:
        self._leave[name].set()

    def settles(self, *names: str) -> bool:
        """Whether exactly these are inside, and stay so."""
        ends = time.monotonic() + 60.0
        while sorted(self.inside) != sorted(names) and time.monotonic() < ends:
            time.sleep(0.005)
        time.sleep(0.05)
        return sorted(self.inside) == sorted(names)


def _becomes(true: Callable[[], bool]) -> bool:
    ends = time.monotonic() + 60.0
    while not true() and time.monotonic() < ends:
        time.sleep(0.005)
    return true()


def test_calls_share_and_timing_is_alone() -> None:
    lease, party = DeviceLease(), Party()
    party.enter("one", lease.shared)
    party.enter("two", lease.shared)
    assert party.settles("one", "two")
    party.enter("timed", lease.shared, lease.alone)
    assert party.settles("one", "two")
    party.leave("one")
    party.leave("two")
    assert party.settles("timed")
    party.enter("three", lease.shared)
    assert party.settles("timed")
    party.leave("timed")
    assert party.settles("three")
    party.leave("three")


def test_who_waits_to_be_alone_is_not_starved() -> None:
    lease, party = DeviceLease(), Party()
    party.enter("one", lease.shared)
    assert party.settles("one")
    party.enter("timed", lease.alone)
    time.sleep(0.05)
    party.enter("late", lease.shared)
    assert party.settles("one")
    party.leave("one")
    assert party.settles("timed")
    party.leave("timed")
    assert party.settles("late")
    party.leave("late")


def test_two_that_share_and_want_to_be_alone_take_turns() -> None:
    lease, party = DeviceLease(), Party()
    party.enter("one", lease.shared, lease.alone)
    party.enter("two", lease.shared, lease.alone)
    time.sleep(0.1)
    (first,) = party.inside
    party.leave(first)
    (other,) = {"one", "two"} - {first}
    assert party.settles(other)
    party.leave(other)


@pytest.mark.parametrize("beside", [True, False])
def test_whose_calls_are_over_goes_on_beside_timing(beside: bool) -> None:
    lease, party = DeviceLease(builds_beside_timing=beside), Party()
    over, go_on = threading.Event(), threading.Event()

    def timed() -> None:
        with lease.shared():
            with lease.alone(calls_over=True):
                go_on.wait(10.0)
            over.set()

    thread = threading.Thread(target=timed, daemon=True)
    thread.start()
    assert _becomes(lambda: lease._held[Hold.ALONE] == 1)
    party.enter("next", lease.alone)
    assert _becomes(lambda: lease._wanted[Hold.ALONE] == 1)
    go_on.set()
    assert party.settles("next") and over.is_set() is beside
    party.leave("next")
    thread.join(10.0)
    assert over.is_set() and not thread.is_alive()
    assert _becomes(lambda: not any(lease._held[one] for one in Hold if one is not Hold.NOTHING))


@pytest.mark.parametrize("beside", [True, False])
def test_builds_go_on_beside_timing_where_the_device_is_not_the_hosts(beside: bool) -> None:
    lease, party = DeviceLease(builds_beside_timing=beside), Party()
    party.enter("build", lease.shared, lease.aside)
    assert party.settles("build")
    party.enter("timed", lease.shared, lease.alone)
    assert party.settles("build", "timed") if beside else party.settles("build")
    party.leave("build")
    party.leave("timed")


def test_quiet_waits_for_builds_too() -> None:
    lease, party = DeviceLease(builds_beside_timing=True), Party()
    party.enter("build", lease.shared, lease.aside)
    assert party.settles("build")
    party.enter("quiet", lambda: lease.alone(quiet=True))
    assert party.settles("build")
    party.leave("build")
    assert party.settles("quiet")
    party.leave("quiet")


def test_who_waits_for_quiet_lets_those_that_are_there_be_timed_and_keeps_new_ones_out() -> None:
    """A candidate that waits to be timed is frozen, and its kernels may still run."""
    lease, party = DeviceLease(builds_beside_timing=True), Party()
    calls_end = threading.Event()

    def alone() -> AbstractContextManager[None]:
        calls_end.wait(10.0)
        return lease.alone()

    party.enter("timed", lease.shared, alone)
    assert _becomes(lambda: lease._held[Hold.SHARED] == 1)
    party.enter("quiet", lease.shared, lambda: lease.alone(quiet=True))
    assert _becomes(lambda: lease._wanted[Hold.QUIET] == 1)
    party.enter("new", lease.shared)
    assert party.settles()
    calls_end.set()
    assert party.settles("timed")
    party.leave("timed")
    assert party.settles("quiet")
    party.leave("quiet")
    assert party.settles("new")
    party.leave("new")


def test_a_build_that_ends_goes_on_though_somebody_waits_for_quiet() -> None:
    lease, party, calls = DeviceLease(builds_beside_timing=True), Party(), threading.Event()

    def candidate() -> None:
        with lease.shared():
            with lease.aside():
                party.inside.append("build")
                calls.wait(10.0)
            party.inside.append("calls")

    builder = threading.Thread(target=candidate, daemon=True)
    builder.start()
    assert party.settles("build")
    party.enter("quiet", lambda: lease.alone(quiet=True))
    assert party.settles("build")
    calls.set()
    builder.join(10.0)
    assert party.settles("build", "calls", "quiet")
    party.leave("quiet")


def test_two_that_want_quiet_have_it_one_after_the_other() -> None:
    lease, party = DeviceLease(builds_beside_timing=True), Party()
    for name in ("one", "two"):
        party.enter(name, lease.shared, lambda: lease.alone(quiet=True))
    time.sleep(0.1)
    (first,) = party.inside
    party.leave(first)
    (other,) = {"one", "two"} - {first}
    assert party.settles(other)
    party.leave(other)


def test_who_shares_gives_way_between_two_batches() -> None:
    lease, party, told = DeviceLease(), Party(), []
    with lease.shared():
        lease.give_way(lambda: told.append("nobody waits"))
        party.enter("timed", lease.shared, lease.alone)
        assert _becomes(lambda: lease._wanted[Hold.ALONE] == 1)
        threading.Timer(0.2, lambda: party.leave("timed")).start()
        lease.give_way(lambda: told.append("waiting"))
        assert party.inside == [] and lease._now() is Hold.SHARED
    assert told == ["waiting"]


def test_company_is_whoever_has_a_candidate_there() -> None:
    lease, party = DeviceLease(builds_beside_timing=True), Party()
    with lease.shared():
        assert not lease.has_company
        party.enter("other", lease.shared, lease.aside)
        assert party.settles("other") and lease.has_company
        with lease.alone():
            assert not lease.has_company
        party.leave("other")
        assert party.settles()
        assert not lease.has_company


def test_who_must_wait_says_so_and_an_error_leaves_nothing_held() -> None:
    lease, party, told = DeviceLease(), Party(), []
    with pytest.raises(ValueError, match="inside"), lease.shared(), lease.alone():
        raise ValueError("inside")
    party.enter("one", lease.shared)
    assert party.settles("one")
    threading.Timer(0.1, lambda: party.leave("one")).start()
    with lease.alone(lambda: told.append("waiting")):
        assert party.inside == []
    with lease.alone(lambda: told.append("again")), lease.alone(), lease.shared():
        pass
    assert told == ["waiting"]
