"""A lease holds across judge processes: these are real ones, with threads of their own."""

from __future__ import annotations

import multiprocessing
import random
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from assay.devices import judges_lock as lock_module
from assay.devices.judges_lock import judges_lock
from assay.timing.device_lease import DeviceLease

KEY = "GPU-lease"
SPAWN = multiprocessing.get_context("spawn")
_THREADS = 4
_STRESS_S = 2.0
_KILLED_AFTER_S, _ENDING_S = 0.4, 0.2
_ROUND_S = 0.002  # of one hold, at most


@dataclass(frozen=True)
class Span:
    """When a thread of a process held what, by the clock of the machine."""

    hold: str
    process: int
    thread: int
    start_s: float
    end_s: float

    def overlaps(self, other: Span) -> bool:
        return self.start_s < other.end_s and other.start_s < self.end_s


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def _lease() -> DeviceLease:
    return DeviceLease(builds_beside_timing=True, judges_lock=judges_lock(KEY))


class _Thread(threading.Thread):
    """Judges one scripted candidate after the other until the time is over."""

    def __init__(self, lease: DeviceLease, process: int, number: int, ends_s: float) -> None:
        super().__init__(daemon=True)
        self.spans: list[Span] = []
        self._lease, self._ends_s = lease, ends_s
        self._rng = random.Random(16 * process + number)
        self._place = process, number

    def run(self) -> None:
        while time.monotonic() < self._ends_s:
            with self._lease.shared():
                began_s = time.monotonic()
                self._stay("shared")
                with self._lease.aside():
                    self._stay("aside")
                self._lease.give_way()
                self._stay("shared")
                if self._rng.random() < 0.7:
                    with self._lease.alone(calls_over=self._rng.random() < 0.5):
                        self._stay("alone")
                self._note("present", began_s)
                if self._rng.random() < 0.2:
                    with self._lease.alone(quiet=True):
                        self._stay("quiet")

    def _stay(self, hold: str) -> None:
        start_s = time.monotonic()
        time.sleep(self._rng.uniform(0.0, _ROUND_S))
        self._note(hold, start_s)

    def _note(self, hold: str, start_s: float) -> None:
        self.spans.append(Span(hold, *self._place, start_s, time.monotonic()))


def _stress(connection: Connection, process: int) -> None:
    lock_module._ENDING_S = _ENDING_S
    lease = _lease()
    connection.send("here")
    until_s = connection.recv()
    threads = [_Thread(lease, process, n, until_s) for n in range(_THREADS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60.0)
    assert not any(one.is_alive() for one in threads), "they wait for each other"
    connection.send([span for one in threads for span in one.spans])
    connection.recv()


def _in_two_processes(killed_after_s: float | None = None) -> list[Span]:
    """What both did in the same seconds; each stays until the other is through, or is killed."""
    ends = [SPAWN.Pipe() for _ in range(2)]
    processes = [
        SPAWN.Process(target=_stress, args=(theirs, number), daemon=True)
        for number, (_, theirs) in enumerate(ends)
    ]
    for process in processes:
        process.start()
    try:
        for ours, _ in ends:
            assert ours.poll(60.0) and ours.recv() == "here"
        until_s = time.monotonic() + _STRESS_S
        for ours, _ in ends:
            ours.send(until_s)
        found: list[Span] = []
        if killed_after_s is not None:
            time.sleep(killed_after_s)
            processes[1].kill()
        for ours, _ in ends if killed_after_s is None else ends[:1]:
            assert ours.poll(60.0), "two judges wait for each other"
            found += ours.recv()
        return found
    finally:
        for process in processes:
            process.kill()
            process.join()


def test_threads_of_two_judges_never_use_a_device_that_one_has_alone() -> None:
    spans = sorted(_in_two_processes(), key=lambda span: span.start_s)
    kept_out = {"alone": {"shared", "alone", "quiet"}, "quiet": {"present", "alone", "quiet"}}
    for place, one in enumerate(spans):
        for other in spans[place + 1 :]:
            if other.start_s >= one.end_s:
                break
            at_once = {one.hold, other.hold}
            assert not any(
                hold in at_once and (at_once - {hold} or {hold}) & others
                for hold, others in kept_out.items()
            ), (one, other)
    for process in range(2):
        for hold in ("alone", "quiet", "shared"):
            held = [one for one in spans if one.process == process and one.hold == hold]
            assert len(held) >= 5, f"process {process} had it {hold} {len(held)} times"


def test_a_judge_that_is_killed_amid_all_that_leaves_the_other_at_work() -> None:
    spans = _in_two_processes(_KILLED_AFTER_S)
    killed_s = min(one.start_s for one in spans) + _KILLED_AFTER_S
    alone = [one for one in spans if one.hold == "alone" and one.start_s > killed_s + _ENDING_S]
    assert len(alone) >= 5


def _answer(connection: Connection) -> None:
    """Enters a hold, says so, and leaves when told to."""
    lease = _lease()
    connection.send("up")
    while (words := connection.recv()) is not None:
        with _held(lease, words):
            connection.send("in")
            connection.recv()
        connection.send("out")


def _held(lease: DeviceLease, words: str) -> AbstractContextManager[None]:
    return {
        "shared": lease.shared,
        "alone": lease.alone,
        "quiet": lambda: lease.alone(quiet=True),
    }[words]()


class Other:
    """A judge in another process that enters one hold at a time."""

    def __init__(self) -> None:
        self.ours, theirs = SPAWN.Pipe()
        self.process = SPAWN.Process(target=_answer, args=(theirs,), daemon=True)
        self.process.start()
        assert self.says("up", 60.0)

    def enter(self, hold: str) -> None:
        self.ours.send(hold)

    def leave(self) -> None:
        self.ours.send("leave")

    def says(self, word: str, within_s: float = 60.0) -> bool:
        return self.ours.poll(within_s) and self.ours.recv() == word

    def waits(self) -> bool:
        return not self.ours.poll(0.1)


@pytest.fixture
def other() -> Iterator[Other]:
    made = Other()
    yield made
    made.process.kill()
    made.process.join()


def test_who_shares_gives_way_to_one_of_another_judge(other: Other) -> None:
    lease, told = _lease(), list[str]()
    with lease.shared():
        lease.give_way(lambda: told.append("nobody waits"))
        other.enter("alone")
        assert other.waits()
        threading.Timer(0.1, other.leave).start()
        lease.give_way(lambda: told.append("waiting"))
        assert other.says("in") and other.says("out")
    assert told == ["waiting"]


def test_company_and_quiet_are_those_of_all_judges(other: Other) -> None:
    lease = _lease()
    with lease.shared():
        assert not lease.has_company
        other.enter("shared")
        assert other.says("in") and lease.has_company and lease.had_company
        with lease.aside():
            assert lease.has_company
        threading.Timer(0.2, other.leave).start()
        began_s = time.monotonic()
        with lease.alone(quiet=True):
            assert time.monotonic() - began_s > 0.15 and not lease.has_company
            assert not lease.had_company  # of what is judged in quiet
            assert other.says("out")
            other.enter("shared")
            assert other.waits()
        assert other.says("in") and lease.has_company
    other.leave()
    assert other.says("out")


def test_a_candidate_is_there_until_its_own_judge_is_through_with_it(other: Other) -> None:
    """In quiet it comes back before others can: else two would have quiet in turns without end."""
    lease = _lease()
    with lease.shared():
        with lease.alone(quiet=True):
            other.enter("quiet")
            assert other.waits()
        assert other.waits()
        with lease.alone():
            assert other.waits()
    assert other.says("in")


def test_who_waits_for_quiet_keeps_out_new_candidates_of_others(other: Other) -> None:
    lease, entered = _lease(), threading.Event()

    def newcomer() -> None:
        with lease.shared():
            entered.set()

    with lease.shared():
        other.enter("quiet")
        assert other.waits()
        thread = threading.Thread(target=newcomer, daemon=True)
        thread.start()
        assert not entered.wait(0.1)
        lease.give_way()
        with lease.alone(), lease.shared():
            assert not entered.is_set()
    assert other.says("in") and not entered.wait(0.05)
    other.leave()
    assert entered.wait(60.0)
    thread.join(60.0)


def test_the_hold_of_a_killed_judge_is_free(other: Other, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock_module, "_ENDING_S", 0.3)
    lease, told = _lease(), list[str]()
    other.enter("quiet")
    assert other.says("in")

    def kill() -> None:
        told.append("waiting")
        other.process.kill()

    with lease.shared(kill):
        assert told == ["waiting"]
        began_s = time.monotonic()
        with lease.alone():
            assert 0.0 <= time.monotonic() - began_s < 30.0


def test_an_error_in_a_hold_leaves_nothing_held_for_others(other: Other) -> None:
    lease = _lease()
    with pytest.raises(ValueError, match="inside"), lease.shared(), lease.alone(quiet=True):
        raise ValueError("inside")
    other.enter("quiet")
    assert other.says("in")


def test_one_whose_waiting_ends_with_an_error_wants_no_more(other: Other) -> None:
    lease = _lease()
    other.enter("shared")
    assert other.says("in")

    def give_up() -> None:
        raise ValueError("no time")

    for quiet in (False, True):
        with pytest.raises(ValueError, match="no time"), lease.shared():  # noqa: SIM117
            with lease.alone(give_up, quiet=quiet):
                raise AssertionError("the other judge is there")
    other.leave()
    assert other.says("out")
    other.enter("quiet")
    assert other.says("in")


def test_a_hold_needs_the_lease_though_one_is_judged_at_a_time() -> None:
    lease = _lease()
    assert lease.is_needed and lease.is_among_judges and not lease.had_company
    assert not DeviceLease().is_needed
