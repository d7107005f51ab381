"""Who else is on a device, by the driver's list and the locks of judges."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from assay.devices.device_company import DeviceCompany, DeviceProcess, in_words, parent_of
from assay.devices.judge_presence import JudgePresence

JUDGE, SANDBOX, CANDIDATE, ORPHAN, TRAINER, SHELL = 100, 110, 111, 112, 200, 90
PARENTS = {SHELL: 1, JUDGE: SHELL, SANDBOX: JUDGE, CANDIDATE: SANDBOX, TRAINER: SHELL, 1: 0}


def company_of(*pids: int, parents: dict[int, int] = PARENTS) -> DeviceCompany:
    listed = tuple(DeviceProcess(pid, pid << 30) for pid in pids)
    return DeviceCompany(lambda: listed, None, JUDGE, parents.get, lambda _: None)


def found(company: DeviceCompany) -> list[int]:
    return [one.pid for one in company.others()]


@pytest.mark.parametrize("listed", [(JUDGE,), (JUDGE, CANDIDATE), (JUDGE, SANDBOX, CANDIDATE)])
def test_a_candidate_is_never_company(listed: tuple[int, ...]) -> None:
    assert found(company_of(*listed)) == []


def test_another_process_is_company_whoever_started_it() -> None:
    assert found(company_of(JUDGE, CANDIDATE, TRAINER, SHELL)) == [TRAINER, SHELL]


def test_a_list_that_does_not_name_the_judge_has_other_numbers() -> None:
    assert found(company_of(TRAINER, 4711)) == []
    assert DeviceCompany(lambda: None).others() == ()


def test_a_process_without_a_trace_is_company_where_it_stays_listed() -> None:
    assert found(company_of(JUDGE, 4711)) == [4711]
    listed = [(JUDGE, 4711), (JUDGE,)]
    company = DeviceCompany(
        lambda: tuple(map(DeviceProcess, listed.pop(0))), None, JUDGE, PARENTS.get, lambda _: None
    )
    assert company.others() == ()  # it was dying


def test_judges_that_take_turns_are_no_company_nor_are_their_candidates() -> None:
    neighbour, theirs = 300, 301
    parents = PARENTS | {neighbour: SHELL, theirs: neighbour}
    listed = tuple(map(DeviceProcess, (JUDGE, CANDIDATE, neighbour, theirs, TRAINER)))
    takes_turns = {neighbour}.__contains__
    company = DeviceCompany(
        lambda: listed, None, JUDGE, parents.get, lambda _: None, takes_turns=takes_turns
    )
    assert found(company) == [TRAINER]
    assert [one.pid for one in company.users()] == [neighbour, theirs, TRAINER]
    parents[theirs] = 1  # its judge has ended
    assert found(company) == [theirs, TRAINER]


def test_a_line_that_breaks_while_it_is_read_is_the_candidates() -> None:
    assert found(company_of(JUDGE, ORPHAN, parents=PARENTS | {ORPHAN: 5000})) == []


def test_a_judge_that_is_process_one_knows_its_own() -> None:
    company = DeviceCompany(
        lambda: (DeviceProcess(1), DeviceProcess(JUDGE)), None, 1, PARENTS.get, lambda _: None
    )
    assert company.others() == ()


def test_parents_are_read_and_also_of_a_process_whose_main_thread_has_ended() -> None:
    assert parent_of(os.getpid()) == os.getppid() and parent_of(2**30) is None
    code = (
        "import ctypes, threading, time, sys\n"
        "def stay():\n    print('up', flush=True); time.sleep(30)\n"
        "threading.Thread(target=stay, daemon=True).start()\n"
        "ctypes.CDLL(None).pthread_exit(None)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None and child.stdout.readline() == b"up\n"
        assert parent_of(child.pid) == os.getpid()
    finally:
        child.kill()
        child.communicate()


def test_the_largest_are_named() -> None:
    few = [DeviceProcess(7), DeviceProcess(8, 3 << 30)]
    assert in_words(few) == "process 8 with 3.0 GiB, process 7"
    assert in_words([DeviceProcess(n) for n in range(6)]).endswith("process 3, 2 more")


_HOLDS = (
    "import sys\nfrom assay.devices.judge_presence import JudgePresence\n"
    "held = JudgePresence(sys.argv[1])\nprint('here', flush=True)\nsys.stdin.read()\n"
)


@pytest.fixture
def another_judge() -> Callable[[str], subprocess.Popen[bytes]]:
    def start(key: str) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        started = subprocess.Popen([sys.executable, "-c", _HOLDS, key], stdin=pipe, stdout=pipe)
        assert started.stdout is not None and started.stdout.readline() == b"here\n"
        return started

    return start


def test_judges_of_one_user_know_each_other_as_long_as_they_live(
    another_judge: Callable[[str], subprocess.Popen[bytes]],
) -> None:
    presence = JudgePresence("GPU-7")
    assert presence.others() == ()
    other = another_judge("GPU-7")
    try:
        assert presence.others() == (other.pid,)
        assert JudgePresence("GPU-8").others() == ()
        named = DeviceCompany(lambda: (), presence).others()
        assert named == (DeviceProcess(other.pid),)
        company = DeviceCompany(lambda: (), presence, takes_turns={other.pid}.__contains__)
        assert company.others() == () and company.users() == named
    finally:
        other.kill()
        other.communicate()
    assert presence.others() == ()  # though its file was left
    presence.close()
