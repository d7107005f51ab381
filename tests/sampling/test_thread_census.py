"""Threads that end before they are met, by the clock of their process."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import pytest

from assay.sampling.thread_census import ThreadCensus

_S = 0.05


def _compute(seconds: float) -> None:
    ends = time.thread_time() + seconds
    while time.thread_time() < ends:
        pass


def _in_a_thread(seconds: float) -> None:
    thread = threading.Thread(target=_compute, args=(seconds,))
    thread.start()
    thread.join()


@pytest.fixture
def census() -> Iterator[ThreadCensus]:
    found = ThreadCensus(rate_hz=800.0)
    found.begin(os.getpid())
    yield found


def test_what_threads_that_are_gone_have_used_is_missing(census: ThreadCensus) -> None:
    for _ in range(5):
        _in_a_thread(_S / 5)
    assert census.unseen([os.getpid()]) >= 0.7 * _S * 400


def test_what_was_met_is_not_missing(census: ThreadCensus) -> None:
    _in_a_thread(_S)
    for number in range(80):
        census.note(-1 - number)
    assert census.unseen([os.getpid()]) == 0


def test_a_living_thread_is_not_missing(census: ThreadCensus) -> None:
    _compute(_S)
    assert census.unseen([os.getpid()]) < 5
