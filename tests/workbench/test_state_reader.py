"""The state is what events and verdicts say, at any moment of the search."""

from __future__ import annotations

from assay.data.generation.budget import Budget, Spend
from assay.data.generation.search_event import (
    AskEnded,
    AskStarted,
    DecisionMade,
    LlmCall,
    Move,
    SearchEvent,
)
from assay.data.verdict import Limits, Status
from assay.workbench.state_reader import JudgedEntry, read_state
from sample_records import TIMING, candidate, verdict
from workbench.scripted_search import GELU, SOFTMAX, plan_of

ONE, TWO = candidate(text="one"), candidate(text="two")
PLAN = plan_of(SOFTMAX, GELU, budget=Budget(tokens=1000))
TRIAL = Spend(tokens=50, trials=1)


def asked(number: int, task: str = "softmax") -> AskStarted:
    return AskStarted(
        ask=number, task=task, move=Move.DRAFT, generator="scripted", strategy="one-by-one"
    )


def ended(number: int, entry: int | None = None, identity: str = "") -> AskEnded:
    return AskEnded(ask=number, candidate=identity, entry=entry, spent=TRIAL)


EVENTS: list[SearchEvent] = [
    asked(0),
    ended(0, 0, ONE.id),
    asked(1, "gelu"),
    AskEnded(ask=1, reason="no code"),
    asked(2),
    ended(2, 1, TWO.id),
    asked(3),
    LlmCall(key="k", model="m", tokens_in=3, tokens_out=4, seconds=2.0, ask=3),
    LlmCall(key="l", model="m", tokens_in=9, tokens_out=9, replayed=True, ask=3),
    DecisionMade(task="gelu", decision="stop", reason="enough"),
]
FOUND = {
    0: JudgedEntry(0, "softmax", ONE, verdict(Status.ACCEPTED, timing=(TIMING,))),
    1: JudgedEntry(1, "softmax", TWO, verdict(Status.DISHONEST, timing=(TIMING,))),
}


def test_attempts_have_what_the_judge_found() -> None:
    softmax, gelu = read_state(PLAN, "cpu", EVENTS, FOUND).tasks
    first, third = softmax.attempts
    assert (first.number, first.status, first.speedup, first.source) == (0, "accepted", 2.0, "one")
    assert third.status == "dishonest" and third.speedup is None
    assert softmax.best == first and softmax.baseline_us == 240.0
    (second,) = gelu.attempts
    assert (second.candidate, second.status, second.reason) == ("", "", "no code")
    assert gelu.stopped == "enough" and not softmax.stopped


def test_spend_counts_calls_of_an_ask_that_was_cut_off_and_no_replayed_ones() -> None:
    spent = read_state(PLAN, "cpu", EVENTS, FOUND).spent
    assert spent == Spend(tokens=107, seconds=2.0, trials=2)


def test_an_earlier_state_can_be_read_again() -> None:
    early = read_state(PLAN, "cpu", EVENTS[:2], {0: FOUND[0]})
    late = read_state(PLAN, "cpu", EVENTS, FOUND, before=1)
    assert [one.attempts for one in late.tasks] == [one.attempts for one in early.tasks]
    assert late.spent == early.spent


def test_what_is_faster_than_the_limit_does_not_count() -> None:
    floor = Limits(bytes=1, flops=1, sol_us=500.0, sol_fraction=None, bound="memory")
    fast = verdict(Status.ACCEPTED, timing=(TIMING,), limits=floor)
    found = FOUND | {0: JudgedEntry(0, "softmax", ONE, fast)}
    state = read_state(PLAN, "cpu", EVENTS, found)
    assert state.tasks[0].attempts[0].below_limit and state.tasks[0].best is None


def test_an_open_entry_is_an_attempt_without_a_status() -> None:
    state = read_state(PLAN, "cpu", EVENTS, {0: JudgedEntry(0, "softmax", ONE)})
    assert state.tasks[0].attempts[0].status == "" and state.tasks[0].attempts[0].source == "one"
