"""A refusal is asked again, later and with other values, and judged by what was seen."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from assay.checks.asked_again import ask_refused_again
from assay.checks.recycled_memory import recycling_batches
from assay.data.observations.call import CallOutcome, CallSeen
from assay.data.settings import Level
from assay.data.verdict import Status, Verdict
from assay.exam.exam import Exam
from assay.exam.script import write_script
from assay.judge.decide import judge
from support.judge_inputs import LAYERS, case
from support.script_runs import STEADY, script_run
from support.small_exam import make_exam
from support.walls import Room

NO_TAILS = "x.view(-1, 16)"  # an error out of a library, by shape alone
BY_VALUE = "if not x.abs().max() < 20: raise ValueError('out of range')"
BY_COUNT = """
self.known = getattr(self, 'known', {x.shape})
if x.shape not in self.known:
    self.known.add(x.shape)
    raise RuntimeError('not yet')
"""
OWN_ONCE = "if x.shape == (16, 32) and self.calls > 9: self.calls = -999; raise RuntimeError('no')"


@pytest.fixture(scope="module")
def exam() -> Exam:
    return make_exam(Level.QUICK)


def _asked(rooms: dict[str, Room], exam: Exam, body: str) -> list[CallSeen]:
    with script_run(rooms, exam, f"{body}\n{STEADY}") as script_runner:
        script_runner.run(write_script(exam, random.Random(3), recycling_batches(exam)))
        ask_refused_again(script_runner)
        return [o for o in script_runner.observations if isinstance(o, CallSeen)]


def _verdict(exam: Exam, calls: list[CallSeen]) -> Verdict:
    return judge(replace(case(LAYERS, *calls), plan=exam.plan))


def test_every_refused_workload_is_asked_twice(rooms: dict[str, Room], exam: Exam) -> None:
    calls = _asked(rooms, exam, NO_TAILS)
    raised = [call.workload for call in calls if call.outcome is CallOutcome.RAISED]
    assert raised and all(raised.count(workload) >= 2 for workload in raised)
    verdict = _verdict(exam, calls)
    assert verdict.status is Status.ACCEPTED
    assert verdict.coverage is not None and 0.0 < verdict.coverage.share < 1.0


def test_who_refuses_much_is_still_called_often(rooms: dict[str, Room], exam: Exam) -> None:
    calls = _asked(rooms, exam, "if x.shape != (16, 32): raise ValueError('own shape only')")
    assert sum(call.outcome is CallOutcome.RETURNED for call in calls) >= 32
    assert _verdict(exam, calls).status is Status.ACCEPTED


@pytest.mark.parametrize("body", [BY_VALUE, BY_COUNT, OWN_ONCE])
def test_a_refusal_by_values_or_counts_is_wrong(
    rooms: dict[str, Room], exam: Exam, body: str
) -> None:
    verdict = _verdict(exam, _asked(rooms, exam, body))
    assert verdict.status is Status.INCORRECT and verdict.correct.value == "no"
