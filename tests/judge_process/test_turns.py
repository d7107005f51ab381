"""How many judge processes are at work at the same time."""

from __future__ import annotations

import os
import threading
import time

import pytest

from assay.judge_process import turns


def most_seen(threads: int) -> int:
    """How many of so many threads hold a turn at the same time."""
    seen: list[int] = []
    now = 0
    lock = threading.Lock()

    def work() -> None:
        nonlocal now
        with turns.turn():
            with lock:
                now += 1
                seen.append(now)
            time.sleep(0.02)
            with lock:
                now -= 1

    started = [threading.Thread(target=work) for _ in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join(10)
    assert len(seen) == threads
    return max(seen)


@pytest.mark.parametrize("most", [1, 3])
def test_no_more_than_the_environment_says(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_JUDGES", str(most))
    assert most_seen(8) == most


@pytest.mark.parametrize("said", ["", "0", "many"])
def test_usable_cores_otherwise(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_JUDGES", said)
    assert turns.most_at_once() == len(os.sched_getaffinity(0))


def test_a_failure_gives_the_turn_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_JUDGES", "1")
    for _ in range(3):
        with pytest.raises(ValueError), turns.turn():
            raise ValueError


def test_a_forked_copy_does_not_wait_for_threads_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_JUDGES", "1")
    with turns.turn():
        pid = os.fork()
        if pid == 0:
            with turns.turn():
                os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
