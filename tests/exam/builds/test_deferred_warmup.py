"""The warm-up waits for the first answers of the own shape, and a wrong one cancels it."""

from __future__ import annotations

import random

import pytest

from assay.data.observations.observation import EndSeen, Observation
from assay.data.settings import Level
from assay.exam.builds.deferred_warmup import DeferredWarmup, own_first
from assay.exam.exam import ContentKey
from assay.exam.script import Mix, ScriptedBatch, ScriptedCall, own_calls, write_script
from assay.sandbox.host.planned_call import AT_START
from support.small_exam import make_exam


def batch(workload: int) -> ScriptedBatch:
    call = ScriptedCall(ContentKey(workload), AT_START, None, Mix.PLAIN)
    return ScriptedBatch((call,), copy_each=True)


class Counted:
    """A warm-up that is late on one workload."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> frozenset[int]:
        self.times += 1
        return frozenset({2})


def test_it_runs_once_before_the_first_other_shape() -> None:
    counted, seen = Counted(), list[Observation]()
    warmup = DeferredWarmup(counted)
    assert not warmup.leaves_out(batch(0), 0, seen) and counted.times == 0
    assert not warmup.leaves_out(batch(1), 0, seen) and counted.times == 1
    assert warmup.leaves_out(batch(2), 0, seen) and counted.times == 1
    assert [one.workload for one in seen if isinstance(one, EndSeen)] == [2]


def test_a_wrong_answer_cancels_it() -> None:
    counted, seen = Counted(), list[Observation]()
    warmup = DeferredWarmup(counted)
    for number, wrong in ((0, 0), (0, 1), (1, 2), (2, 2), (1, 0)):
        assert not warmup.leaves_out(batch(number), wrong, seen)
    assert counted.times == 0 and warmup.was_cancelled and not seen


def test_an_answer_that_is_wrong_later_changes_nothing() -> None:
    counted, seen = Counted(), list[Observation]()
    warmup = DeferredWarmup(counted)
    warmup.leaves_out(batch(1), 0, seen)
    assert warmup.leaves_out(batch(2), 5, seen) and not warmup.was_cancelled


@pytest.mark.parametrize("seed", range(5))
def test_the_own_shape_goes_first_and_nothing_is_lost(seed: int) -> None:
    exam = make_exam(Level.QUICK)
    script = write_script(exam, random.Random(seed), [])
    moved = own_first(exam, script)
    assert [one.calls for one in moved[:3]] == [(call,) for call in own_calls(exam)[:3]]
    assert sorted(map(repr, moved)) == sorted(map(repr, script))
    rest = [one for one in script if one not in moved[:3]]
    assert moved[3:] == rest
    assert own_first(exam, moved) == moved
