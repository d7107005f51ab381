"""The same questions many times over: races show, and rounding that wanders is only noted."""

from __future__ import annotations

import itertools

import pytest

from assay.checks.repeated_calls import CHECK, repeat_calls
from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallSeen, Mix
from assay.data.observations.observation import RecurrenceSeen
from assay.data.settings import Level
from assay.exam.exam import Exam
from assay.exam.script_runner import ScriptRunner
from checks.contexts import context_of
from support.script_runs import STEADY, script_run
from support.small_exam import make_exam
from support.walls import Room

NOW_AND_THEN_WRONG = "return y + (self.calls % 60 == 59)"
WANDERING = "return y * (1 + (self.calls % 3) * 2.0 ** -23)"
WRONG_FROM_THEN_ON = "return y + (self.calls > 60)"
ONE_BUFFER = """
self.y = getattr(self, 'y', torch.empty(0)).resize_(y.shape)
return self.y.copy_(y)
"""


@pytest.fixture(scope="module")
def exam() -> Exam:
    return make_exam(Level.STANDARD)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside other work any call may take 50 ms: only one that sleeps is slow here."""
    monkeypatch.setattr("assay.checks.repeated_calls._SLOW_S", 0.09)
    monkeypatch.setattr("assay.checks.repeated_calls._PATIENCE", 100.0)


def _calls(script_runner: ScriptRunner) -> list[CallSeen]:
    return [o for o in script_runner.observations if isinstance(o, CallSeen)]


def _wrong(script_runner: ScriptRunner) -> list[bool]:
    return [any(o.problem for o in call.outputs) for call in _calls(script_runner)]


def test_a_steady_kernel_is_called_often_and_judged_once_a_question(
    rooms: dict[str, Room], exam: Exam
) -> None:
    with script_run(rooms, exam, STEADY) as script_runner:
        found = repeat_calls(context_of(script_runner))
    assert [(seen.calls, seen.different, seen.reason) for seen in found] == [(250, 0, "")]
    assert _wrong(script_runner) == [False, False]
    assert {call.mix for call in _calls(script_runner)} == {Mix.REPEATED}


def test_an_answer_that_is_wrong_now_and_then_is_found(rooms: dict[str, Room], exam: Exam) -> None:
    with script_run(rooms, exam, NOW_AND_THEN_WRONG) as script_runner:
        repeat_calls(context_of(script_runner))
    assert script_runner.wrong >= 4
    wrong = _wrong(script_runner)
    after = [right for bad, right in itertools.pairwise(wrong) if bad]
    assert not any(after)  # the right one that follows is there too: it is a race, not a phase


def test_answers_that_wander_within_the_budget_are_counted_and_right(
    rooms: dict[str, Room], exam: Exam
) -> None:
    with script_run(rooms, exam, WANDERING) as script_runner:
        (found,) = repeat_calls(context_of(script_runner))
    assert script_runner.wrong == 0
    assert 2 <= found.different <= 4 and found.calls == 250


def test_who_changes_its_mind_stays_wrong(rooms: dict[str, Room], exam: Exam) -> None:
    with script_run(rooms, exam, WRONG_FROM_THEN_ON) as script_runner:
        repeat_calls(context_of(script_runner))
    wrong = _wrong(script_runner)
    assert wrong.count(True) >= 3 and wrong == sorted(wrong)


def test_one_buffer_for_all_results_does_not_pass_as_steady(
    rooms: dict[str, Room], exam: Exam
) -> None:
    with script_run(rooms, exam, ONE_BUFFER) as script_runner:
        repeat_calls(context_of(script_runner))
    problems = {o.problem for call in _calls(script_runner) for o in call.outputs}
    assert EvidenceKind.RESULT_OVERWRITTEN in problems or EvidenceKind.WRONG_VALUE in problems


def test_quick_repeats_nothing(rooms: dict[str, Room], exam: Exam) -> None:
    with script_run(rooms, exam, STEADY) as script_runner:
        assert not CHECK.is_due(context_of(script_runner, Level.QUICK))
        assert CHECK.is_due(context_of(script_runner))


def test_a_slow_own_workload_is_helped_by_a_small_one(rooms: dict[str, Room], exam: Exam) -> None:
    body = "time.sleep(0.1 if x.shape == (16, 32) else 0.0)\nreturn y"
    with script_run(rooms, exam, body) as script_runner:
        own, small = repeat_calls(context_of(script_runner))
    assert isinstance(own, RecurrenceSeen) and own.workload == 0 and 4 <= own.calls < 250
    assert own.reason and small.calls == 250 and small.workload != 0
