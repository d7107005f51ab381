"""Whose answer a wrong answer is."""

from __future__ import annotations

import pytest

from assay.data.call import CallOutcome, CallSeen, Mix, OutputSeen
from assay.data.evidence import EvidenceKind
from assay.data.settings import Level
from assay.data.workload import Workload
from assay.worker.host.exam import Draw, Exam, Question
from assay.worker.host.explanation import Asked, Surroundings, explain
from assay.worker.host.planned_call import AT_START
from assay.worker.host.raw_call import RawCall, RawOutput
from assay.worker.host.script import ScriptedCall
from assay.worker.host.tones import FIRST_WEIGHTS, Weights, WeightsKind
from worker.host.small_exam import TASK, make_exam

WORKLOADS = (Workload(axes={"rows": 16, "cols": 32}, dtype="float32", own=True),)

SMALL = Weights(WeightsKind.SMALL)


@pytest.fixture(scope="module")
def exam() -> Exam:
    return make_exam(Level.QUICK, TASK, WORKLOADS)


def asked(exam: Exam, number: int, version: Weights) -> Asked:
    question = Question(0, Draw(number=number))
    call = ScriptedCall(question, AT_START, version, Mix.PLAIN)
    return Asked(call, version, exam.expectation(question, version))


def explained(exam: Exam, earlier: Asked) -> OutputSeen:
    """The second question, under the first weights, answered as `earlier` had to be."""
    one = asked(exam, 1, FIRST_WEIGHTS)
    wrong = OutputSeen(name="output", problem=EvidenceKind.WRONG_VALUE)
    seen = CallSeen(
        index=1, workload=0, mix=Mix.PLAIN, outcome=CallOutcome.RETURNED, outputs=(wrong,)
    )
    answer = earlier.expectations[0].truth.float()
    raw = RawCall(None, (RawOutput(None, answer),), (), (), False)
    return explain(exam, seen, raw, Surroundings(one, [earlier], [])).outputs[0]


def test_the_answer_of_an_earlier_question_is_told(exam: Exam) -> None:
    assert explained(exam, asked(exam, 2, FIRST_WEIGHTS)).matches_earlier_call == 0


def test_the_same_question_under_strange_weights_is_no_memory(exam: Exam) -> None:
    assert explained(exam, asked(exam, 1, SMALL)).matches_earlier_call is None
    assert explained(exam, asked(exam, 2, SMALL)).matches_earlier_call == 0
