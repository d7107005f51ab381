"""A candidate that counts its calls is called as often as it counts."""

from __future__ import annotations

import pytest

from assay.checks.counted_calls import count_calls, counted_to
from assay.data.observations.observation import CheckMissing, RecurrenceSeen
from assay.data.settings import Level
from assay.exam.exam import Exam
from assay.source_analysis.literals.source_literal import LiteralUse, SourceLiteral
from checks.contexts import context_of
from support.script_runs import STEADY, script_run
from support.small_exam import make_exam
from support.walls import Room

EVERY_310TH = "return y + (self.calls % 310 == 309)"


@pytest.fixture(scope="module")
def shared() -> Exam:
    return make_exam(Level.QUICK)


def counting(shared: Exam, *numbers: int, use: LiteralUse = LiteralUse.COUNTER) -> Exam:
    return shared.for_candidate("it", tuple(SourceLiteral(n, use) for n in numbers))


def test_every_nth_call_is_reached(rooms: dict[str, Room], shared: Exam) -> None:
    with script_run(rooms, counting(shared, 310), EVERY_310TH) as script_runner:
        count_calls(context_of(script_runner, Level.QUICK))
    assert script_runner.wrong


def test_a_steady_kernel_that_counts_is_right(rooms: dict[str, Room], shared: Exam) -> None:
    with script_run(rooms, counting(shared, 310), STEADY) as script_runner:
        (seen,) = count_calls(context_of(script_runner, Level.QUICK))
    assert isinstance(seen, RecurrenceSeen)
    assert seen.calls == 313
    assert not script_runner.wrong


def test_what_is_not_counted_costs_nothing(rooms: dict[str, Room], shared: Exam) -> None:
    plain = counting(shared, 310, use=LiteralUse.COMPARED)
    with script_run(rooms, plain, STEADY) as script_runner:
        assert count_calls(context_of(script_runner, Level.QUICK)) == []
        assert script_runner.calls_made == 0


def test_a_number_that_is_too_large_is_said(rooms: dict[str, Room], shared: Exam) -> None:
    exam = counting(shared, 10**6, 3)
    assert counted_to(exam) == [10**6]
    with script_run(rooms, exam, STEADY) as script_runner:
        (missing,) = count_calls(context_of(script_runner, Level.QUICK))
    assert isinstance(missing, CheckMissing)
    assert "1000000" in missing.reason and not missing.essential
