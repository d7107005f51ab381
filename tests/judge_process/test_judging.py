"""Results in the order given, at most so many at once, failures at their own place."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable

import pytest

from assay.judge_process.judging import in_order


class Counter:
    """How many pieces of work run at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.now = 0
        self.most = 0
        self.threads: set[int] = set()

    def work(self, result: int, seconds: float) -> int:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
            self.threads.add(threading.get_ident())
        time.sleep(seconds)
        with self._lock:
            self.now -= 1
        return result


def _pieces(counter: Counter, seconds: list[float]) -> list[Callable[[], int]]:
    return [functools.partial(counter.work, n, s) for n, s in enumerate(seconds)]


@pytest.mark.parametrize("jobs", [0, 1, 2, 4, 50])
def test_the_order_is_that_of_the_work(jobs: int) -> None:
    pieces = _pieces(Counter(), [0.03, 0.0, 0.02, 0.0, 0.01])
    assert list(in_order(pieces, jobs)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("jobs", [2, 3])
def test_no_more_than_the_jobs_at_once(jobs: int) -> None:
    counter = Counter()
    list(in_order(_pieces(counter, [0.03] * 8), jobs))
    assert counter.most == jobs


def test_one_job_stays_in_this_thread_and_is_lazy() -> None:
    counter = Counter()
    results = in_order(_pieces(counter, [0.0] * 3), 1)
    assert counter.threads == set()
    assert next(results) == 0
    assert counter.threads == {threading.get_ident()}


def test_nothing_to_do_is_nothing() -> None:
    assert list(in_order([], 4)) == []


def _fail() -> int:
    raise ValueError("this one")


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_failure_comes_at_its_place(jobs: int) -> None:
    counter = Counter()
    pieces = _pieces(counter, [0.01, 0.0])
    results = in_order([pieces[0], _fail, pieces[1]], jobs)
    assert next(results) == 0
    with pytest.raises(ValueError, match="this one"):
        next(results)


def test_a_caller_that_leaves_stops_what_has_not_begun() -> None:
    counter = Counter()
    started: list[int] = []

    def piece(number: int) -> int:
        started.append(number)
        return counter.work(number, 0.05)

    results = in_order([functools.partial(piece, n) for n in range(20)], 2)
    next(results)
    results.close()  # type: ignore[attr-defined]
    time.sleep(0.15)
    assert len(started) <= 5
