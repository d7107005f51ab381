"""What a second process works out is what the judge would have."""

from __future__ import annotations

import random
import time

import pytest
import torch

from assay.checks.recycled_memory import recycling_batches
from assay.data.settings import Level
from assay.exam.exam import Exam
from assay.exam.prefetch import script_prefetch as module
from assay.exam.prefetch.script_prefetch import ScriptPrefetch, prefetch_order
from assay.exam.script import ScriptedBatch, write_script
from support.small_exam import STATELESS, make_exam

pytestmark = pytest.mark.usefixtures("two_threads")


def exam_and_script() -> tuple[Exam, list[ScriptedBatch]]:
    exam = make_exam(Level.QUICK)
    return exam, write_script(exam, random.Random(3), recycling_batches(exam))


def test_every_question_is_foreseen_once_with_the_weights_in_force() -> None:
    exam, script = exam_and_script()
    found = list(prefetch_order(exam, script))
    assert len(found) == len(set(found))
    assert {key[0] for key in found} == {call.content_key for b in script for call in b.calls}
    told = {
        (call.content_key, call.weights) for b in script for call in b.calls[:1] if call.weights
    }
    assert told <= set(found)


def test_without_weights_there_is_one_version() -> None:
    exam = make_exam(Level.QUICK, STATELESS)
    script = write_script(exam, random.Random(3), recycling_batches(exam))
    assert len({version for _, version in prefetch_order(exam, script)}) == 1


def test_the_judge_takes_over_what_was_worked_out() -> None:
    exam, script = exam_and_script()
    prefetch = ScriptPrefetch(exam, script)
    wanted = [key for key in prefetch_order(exam, script) if key not in exam.known()]
    prefetch.start()
    try:
        assert torch.get_num_threads() == 1
        ends = time.monotonic() + 60.0
        while wanted[-1] not in exam.known() and time.monotonic() < ends:
            prefetch._take(wanted[0])
            time.sleep(0.01)
    finally:
        prefetch.stop()
    assert torch.get_num_threads() == 2 and exam.elsewhere is None
    assert wanted[-1] in exam.known()
    alone, _ = exam_and_script()
    for one, other in zip(
        exam.expectation(*wanted[-1]), alone.expectation(*wanted[-1]), strict=True
    ):
        assert one.name == other.name and torch.allclose(one.truth, other.truth)


def test_who_stands_still_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    exam, script = exam_and_script()
    prefetch = ScriptPrefetch(exam, script)
    last = [key for key in prefetch_order(exam, script) if key not in exam.known()][-1]
    monkeypatch.setattr(module, "_LOOK_S", 0.05)
    monkeypatch.setattr(ScriptPrefetch, "_work", _stand_still)
    prefetch.start()
    try:
        while prefetch._worker_at.value < 0:
            time.sleep(0.001)
        assert exam.expectation(*last) and exam.elsewhere is None
    finally:
        prefetch.stop()


def _stand_still(prefetch: ScriptPrefetch, _: object) -> None:
    prefetch._worker_at.value = len(prefetch._order) - 1
    time.sleep(60.0)


def test_where_everything_is_known_nobody_is_forked() -> None:
    exam, script = exam_and_script()
    for key in list(prefetch_order(exam, script)):
        exam.expectation(*key)
    prefetch = ScriptPrefetch(exam, script)
    prefetch.start()
    assert exam.elsewhere is None and torch.get_num_threads() == 2
    prefetch.stop()
