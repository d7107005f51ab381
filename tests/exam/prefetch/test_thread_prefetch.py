"""What a thread works out beside the judge is what the judge would have."""

from __future__ import annotations

import random
import threading
from typing import Any, cast

import pytest
import torch

from assay.data.settings import Level
from assay.errors import TaskError
from assay.exam.exam import Exam
from assay.exam.prefetch.script_prefetch import prefetch_order
from assay.exam.prefetch.thread_prefetch import ThreadPrefetch
from assay.exam.script import ScriptedBatch, write_script
from support.small_exam import make_exam

_WAIT_S = 60.0


def exam_and_script() -> tuple[Exam, list[ScriptedBatch]]:
    exam = make_exam(Level.SMOKE)
    return exam, write_script(exam, random.Random(3), [])


def test_all_of_the_script_is_known_and_then_what_else_is_needed() -> None:
    (exam, script), through = exam_and_script(), threading.Event()
    prefetch = ThreadPrefetch(exam, script, through.set)
    prefetch.start()
    assert through.wait(_WAIT_S)
    prefetch.stop()
    wanted = list(prefetch_order(exam, script))
    assert wanted and set(wanted) <= exam.known()
    key = wanted[-1]
    for one, other in zip(exam.expectation(*key), exam.worked_out(*key), strict=True):
        assert torch.equal(one.truth, other.truth)


class _Slow:
    """An exam whose every question waits until it may go on."""

    def __init__(self, exam: Exam, failing: bool = False) -> None:
        self.asked: list[tuple[object, ...]] = []
        self.reached, self.may_go_on = threading.Event(), threading.Event()
        self._exam, self._failing = exam, failing

    def __getattr__(self, name: str) -> object:
        return getattr(self._exam, name)

    def expectation(self, *key: object) -> None:
        self.asked.append(key)
        self.reached.set()
        if self._failing:
            raise TaskError("it does not answer")
        assert self.may_go_on.wait(_WAIT_S)


def test_who_stops_it_waits_for_the_question_it_is_at_and_no_other() -> None:
    exam, script = exam_and_script()
    slow, afterwards = _Slow(exam), threading.Event()
    prefetch = ThreadPrefetch(cast(Any, slow), script, afterwards.set)
    prefetch.start()
    assert slow.reached.wait(_WAIT_S)
    stopping = threading.Thread(target=prefetch.stop)
    stopping.start()
    stopping.join(0.05)
    assert stopping.is_alive()  # nothing of it may run beside a timing
    slow.may_go_on.set()
    stopping.join(_WAIT_S)
    assert len(slow.asked) == 1 and not afterwards.is_set()
    prefetch.start()  # a new attempt
    assert afterwards.wait(_WAIT_S)
    prefetch.stop()
    assert len(slow.asked) == 1 + len(list(prefetch_order(exam, script)))


def test_a_question_that_fails_is_left_to_the_judge() -> None:
    exam, script = exam_and_script()
    slow, afterwards = _Slow(exam, failing=True), threading.Event()
    prefetch = ThreadPrefetch(cast(Any, slow), script, afterwards.set)
    prefetch.start()
    assert afterwards.wait(_WAIT_S)
    prefetch.stop()
    assert len(slow.asked) == len(list(prefetch_order(exam, script)))


def test_one_that_was_never_started_is_stopped(recwarn: pytest.WarningsRecorder) -> None:
    exam, script = exam_and_script()
    ThreadPrefetch(exam, script).stop()
    assert not recwarn.list
