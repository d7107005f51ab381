"""Locks between judge processes: real processes, because one process never locks itself out."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest

from assay.devices import judges_lock as module
from assay.devices.judges_lock import JudgesLock, judges_lock, turns_can_be_taken
from assay.devices.lease import runtime_folder
from support.other_judge import KEY, Clock, OtherJudge, feel


@pytest.fixture
def other() -> Iterator[OtherJudge]:
    with OtherJudge() as judge:
        yield judge


@pytest.fixture
def lock() -> JudgesLock:
    made = judges_lock(KEY)
    made.join()
    return made


def test_who_makes_calls_keeps_out_who_wants_to_be_alone(
    lock: JudgesLock, other: OtherJudge
) -> None:
    assert lock.share(arrives=True) and other("share", True)
    assert not other("take_alone", False)
    other("unshare")
    assert not other("take_alone", False) and other("has_company")
    lock.unshare()
    assert other("take_alone", False)
    assert not lock.share(arrives=False) and not lock.take_alone(False)
    other("end_alone")
    assert lock.share(arrives=False)


def test_the_last_of_several_threads_gives_the_calls_back(
    lock: JudgesLock, other: OtherJudge
) -> None:
    assert lock.share(arrives=True) and lock.share(arrives=True)
    lock.unshare()
    assert not other("take_alone", False)
    lock.unshare()
    assert other("take_alone", False)


def test_nobody_comes_before_who_waits_to_be_alone(lock: JudgesLock, other: OtherJudge) -> None:
    assert lock.share(arrives=True)
    assert not other("take_alone", False) and lock.others_want_alone
    assert not lock.share(arrives=True) and not lock.share(arrives=False)
    assert not lock.want(quiet=False)  # one after the other
    lock.unshare()
    assert other("take_alone", False) and not lock.others_want_alone
    assert lock.want(quiet=False) and not other("want", False)
    other("end_alone")
    assert lock.take_alone(quiet=False)


def test_who_wants_no_more_lets_others_in(lock: JudgesLock, other: OtherJudge) -> None:
    assert other("want", False) and other("want", True) and not lock.share(arrives=True)
    other("want_no_more", False)
    assert not lock.share(arrives=True) and lock.share(arrives=False)
    other("want_no_more", True)
    assert lock.share(arrives=True)


def test_quiet_is_given_once_no_candidate_is_there(lock: JudgesLock, other: OtherJudge) -> None:
    assert lock.share(arrives=True)
    lock.unshare()
    assert not other("take_alone", True) and other("has_company")
    assert not lock.share(arrives=True) and lock.share(arrives=False)
    lock.unshare()
    lock.leave()
    assert other("take_alone", True) and not other("has_company")
    assert not lock.arrive() and not lock.share(arrives=True)
    other("end_alone")
    assert lock.share(arrives=True)


def test_a_candidate_that_is_there_again_before_quiet_ends_keeps_the_next_quiet_out(
    lock: JudgesLock, other: OtherJudge
) -> None:
    assert lock.take_alone(quiet=True) and lock.arrive()
    lock.end_alone()
    assert lock.share(arrives=False)
    lock.unshare()
    assert not other("take_alone", True)
    lock.leave()
    assert other("take_alone", True)


def test_a_refused_attempt_leaves_nothing_behind(lock: JudgesLock, other: OtherJudge) -> None:
    assert other("take_alone", False)
    assert not lock.share(arrives=True) and not other("has_company")
    assert not lock.take_alone(quiet=True)
    assert other("arrive")  # presence was not kept, though quiet is still wanted
    lock.want_no_more(quiet=True)


def test_the_locks_of_a_killed_judge_are_free_once_its_candidates_are_gone() -> None:
    clock = Clock()
    with OtherJudge() as killed:
        lock = JudgesLock(runtime_folder() / f"{KEY}.turns", clock)
        assert killed("take_alone", True) and killed("want", False)
        assert lock.others() == {killed.pid} and not lock.share(arrives=True)
        killed.kill()
        assert lock.share(arrives=True)
        lock.unshare()
        assert not lock.want(quiet=False) and not lock.take_alone(quiet=False)
        clock.now_s = 60.0
        assert lock.take_alone(quiet=False)


def test_judges_know_each_other_as_long_as_they_live(lock: JudgesLock) -> None:
    assert not lock.has_met_others and not lock.is_judge(os.getpid())
    with OtherJudge() as one, OtherJudge() as two:
        assert lock.others() == {one.pid, two.pid}
        assert lock.is_judge(one.pid) and lock.is_judge(two.pid)
        assert not lock.is_judge(os.getppid())
        assert one("others") == {os.getpid(), two.pid}
        assert lock.has_met_others
    assert lock.others() == set() and not lock.is_judge(one.pid)
    assert lock.has_met_others  # it had


def test_neither_a_fork_nor_a_program_that_is_started_takes_the_locks_along(
    lock: JudgesLock, other: OtherJudge
) -> None:
    assert lock.take_alone(quiet=True)
    child = os.fork()
    if child == 0:
        os.closerange(3, 4096)  # of its own copies
        os._exit(0)
    os.waitpid(child, 0)
    subprocess.run(["true"], check=True)
    assert not other("share", True)
    stays = os.fork()
    if stays == 0:
        time.sleep(60.0)
        os._exit(0)
    lock.end_alone()
    assert other("take_alone", True)  # though a fork of the last holder is alive
    os.kill(stays, 9)
    os.waitpid(stays, 0)


def test_a_fork_begins_anew(lock: JudgesLock) -> None:
    child = os.fork()
    if child == 0:
        os._exit(0 if judges_lock(KEY) is not lock else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert judges_lock(KEY) is lock  # a second descriptor of the file, closed, would free all


def test_one_that_shares_keeps_others_out_for_a_moment(lock: JudgesLock, other: OtherJudge) -> None:
    assert lock.share(arrives=True) and other("share", True)
    there, go = threading.Event(), threading.Event()

    def probe() -> None:
        with lock.others_kept_out():
            there.set()
            go.wait(60.0)

    thread = threading.Thread(target=probe, daemon=True)
    thread.start()
    assert not there.wait(0.1)
    other("unshare")
    assert there.wait(60.0)
    assert not other("share", False) and not other("take_alone", False)
    assert not lock.share(arrives=True)  # nor does a thread of its own come in
    go.set()
    thread.join(60.0)
    assert other("share", False)  # it shares again
    other("unshare")
    assert not other("take_alone", False)
    lock.unshare()
    assert other("take_alone", False)


def test_two_that_share_and_keep_each_other_out_take_turns(
    lock: JudgesLock, other: OtherJudge
) -> None:
    other.begin("feel", 10)
    thread = threading.Thread(target=feel, args=(lock, 10), daemon=True)
    thread.start()
    assert other.end() == 10
    thread.join(60.0)
    assert not thread.is_alive() and lock.take_alone(quiet=True)


def test_who_is_alone_keeps_others_out_already(lock: JudgesLock, other: OtherJudge) -> None:
    assert lock.take_alone(quiet=True)
    with lock.others_kept_out():
        assert not other("share", True)
    assert not other("share", True)


def test_a_machine_says_whether_turns_can_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert turns_can_be_taken()

    def refused(*_: object) -> bytes:
        raise OSError("no such locks")

    monkeypatch.setattr(module.fcntl, "fcntl", refused)
    assert not turns_can_be_taken()
    with pytest.raises(OSError, match="no such locks"):
        judges_lock(KEY)
