"""Whose answer a wrong answer is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallOutcome, CallSeen, Mix, OutputSeen
from assay.data.settings import Level
from assay.data.workload import Workload
from assay.exam.answer_origin import AskedCall, NeighbouringCalls, explain
from assay.exam.exam import ContentKey, Draw, Exam
from assay.exam.script import ScriptedCall
from assay.exam.weight_scales import FIRST_WEIGHTS, Weights, WeightsKind
from assay.sandbox.host.planned_call import AT_START
from assay.sandbox.host.raw_call import RawCall, RawOutput
from support.small_exam import TASK, make_exam

WORKLOADS = (Workload(axes={"rows": 16, "cols": 32}, dtype="float32", own=True),)

SMALL = Weights(WeightsKind.SMALL)


@pytest.fixture(scope="module")
def exam() -> Exam:
    return make_exam(Level.QUICK, TASK, WORKLOADS)


def asked(exam: Exam, number: int, version: Weights) -> AskedCall:
    content_key = ContentKey(0, Draw(number=number))
    call = ScriptedCall(content_key, AT_START, version, Mix.PLAIN)
    return AskedCall(call, version, exam.expectation(content_key, version))


def explained(exam: Exam, earlier: AskedCall) -> OutputSeen:
    """The second question, under the first weights, answered as `earlier` had to be."""
    one = asked(exam, 1, FIRST_WEIGHTS)
    wrong = OutputSeen(name="output", problem=EvidenceKind.WRONG_VALUE)
    seen = CallSeen(
        index=1, workload=0, mix=Mix.PLAIN, outcome=CallOutcome.RETURNED, outputs=(wrong,)
    )
    answer = earlier.expectations[0].truth.float()
    raw = RawCall(None, (RawOutput(None, answer),), (), (), False)
    return explain(exam, seen, raw, NeighbouringCalls(one, [earlier], [])).outputs[0]


def test_the_answer_of_an_earlier_question_is_told(exam: Exam) -> None:
    assert explained(exam, asked(exam, 2, FIRST_WEIGHTS)).matches_earlier_call == 0


def test_the_same_question_under_strange_weights_is_no_memory(exam: Exam) -> None:
    assert explained(exam, asked(exam, 1, SMALL)).matches_earlier_call is None
    assert explained(exam, asked(exam, 2, SMALL)).matches_earlier_call == 0


def test_an_answer_to_its_own_question_is_nobody_elses(exam: Exam) -> None:
    """It was wrong by a rounding, where none is made."""
    assert explained(exam, asked(exam, 1, FIRST_WEIGHTS)).matches_earlier_call is None


def test_of_two_outputs_one_that_is_alike_by_chance_is_nobody_elses(exam: Exam) -> None:
    """Counts of a few items are often those of another call; what they were counted of is not."""
    first, one = asked(exam, 2, FIRST_WEIGHTS), asked(exam, 1, FIRST_WEIGHTS)
    earlier = replace(first, expectations=first.expectations * 2)
    wrong = tuple(
        OutputSeen(name=name, problem=EvidenceKind.WRONG_VALUE) for name in ("counts", "values")
    )
    seen = CallSeen(index=1, workload=0, mix=Mix.PLAIN, outcome=CallOutcome.RETURNED, outputs=wrong)
    alike = earlier.expectations[0].truth.float()
    for values, owner in ((alike, 0), (alike + 1, None)):
        raw = RawCall(None, (RawOutput(None, alike), RawOutput(None, values)), (), (), False)
        one_call = replace(one, expectations=one.expectations * 2)
        around = NeighbouringCalls(one_call, [earlier], [])
        found = explain(exam, seen, raw, around).outputs
        assert [output.matches_earlier_call for output in found] == [owner, owner]
