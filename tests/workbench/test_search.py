"""A search ends where it must, counts only what the judge found, and confirms what won."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.data.generation.budget import Budget, Spend
from assay.data.generation.search_event import AskEnded, DecisionMade, LlmCall
from assay.data.generation.search_plan import FeedbackShown
from assay.errors import UsageError
from assay.generators.strategies.best_of_n import BestOfN
from assay.store.run_store import RunStore
from assay.workbench.search_lease import SearchLease
from assay.workbench.search_log import SearchLog
from assay.workbench.search_results import search_results
from workbench.scripted_search import GELU, RUN, SOFTMAX, OneByOne, ScriptedSearch, plan_of

MIXED = ("incorrect", "none", "accepted 1.5", "dishonest 9", "fail", "accepted 2", "suspicious 8")


def decisions(log: SearchLog, *wanted: str) -> list[tuple[str, str]]:
    return [
        (one.decision, one.reason)
        for one in log.events
        if isinstance(one, DecisionMade) and one.decision in wanted
    ]


def test_the_best_that_counts_is_confirmed_and_wins(tmp_path: Path) -> None:
    search = ScriptedSearch(tmp_path, MIXED, plan_of(budget=Budget(trials=5)))
    (result,) = search_results(search.go())
    assert result.best is not None and result.best.speedup == 2
    assert result.winner == result.best.candidate and "accepted at full" in result.reason
    assert result.milestone == 2
    assert (result.attempts, result.accepted, result.untrusted) == (7, 2, 2)
    assert result.spent.trials == 5 and "trials" in result.stopped


def test_claims_are_stored_and_never_results(tmp_path: Path) -> None:
    log = ScriptedSearch(tmp_path, ("incorrect",), plan_of(budget=Budget(trials=1))).go()
    (ended,) = [one for one in log.events if isinstance(one, AskEnded)]
    assert ended.claimed is not None and ended.claimed.speedup == 99
    (attempt,) = log.state().attempts()
    assert attempt.speedup is None and not attempt.accepted
    (result,) = search_results(log)
    assert (result.winner, result.milestone) == ("", -1)


@pytest.mark.parametrize("cheat", ["dishonest 9", "suspicious 9", "accepted 50"])
def test_a_cheat_is_never_a_gain(tmp_path: Path, cheat: str) -> None:
    """50 times as fast is below the limit of the scripted judge."""
    log = ScriptedSearch(tmp_path, (cheat, "incorrect"), plan_of(budget=Budget(trials=2))).go()
    (result,) = search_results(log)
    assert result.winner == "" and result.best is None and result.accepted == 0
    assert all(not one.accepted for one in log.state().attempts())
    assert bool(decisions(log, "quarantine")) == (cheat == "accepted 50")


def test_a_winner_must_win_again(tmp_path: Path) -> None:
    """The best fails its confirmation, and the next is taken."""
    script = ("accepted 3/incorrect", "accepted 2/accepted 1.8", "accepted 1.2")
    log = ScriptedSearch(tmp_path, script, plan_of(budget=Budget(trials=3))).go()
    (result,) = search_results(log)
    found = log.judged("softmax", result.winner)
    assert found is not None and "accepted 2/" in found.candidate.main.text
    assert "1.8x" in result.reason
    assert [name for name, _ in decisions(log, "winner", "not_confirmed")] == [
        "not_confirmed",
        "winner",
    ]


@pytest.mark.parametrize("again", ["accepted 1.01", "accepted", "dishonest 3", "accepted 50"])
def test_no_winner_without_a_confirmed_gain(tmp_path: Path, again: str) -> None:
    log = ScriptedSearch(tmp_path, (f"accepted 3/{again}",), plan_of(budget=Budget(trials=1))).go()
    (result,) = search_results(log)
    assert result.winner == "" and decisions(log, "no_winner")


def test_confirmation_has_a_secret_of_its_own(tmp_path: Path) -> None:
    search = ScriptedSearch(tmp_path, ("accepted 3",), plan_of(budget=Budget(trials=1)))
    search.go()
    secrets = [plan.secret for plan in search.judge.plans if plan is not None]
    assert len(secrets) == 2 and len(set(secrets)) == 2


def test_the_same_content_is_judged_once(tmp_path: Path) -> None:
    plan = plan_of(budget=Budget(tokens=600), confirm_level=None)
    search = ScriptedSearch(tmp_path, ("accepted 2", "accepted 2", "incorrect"), plan)
    log = search.go()
    attempts = list(log.state().attempts())
    assert len(attempts) == 6 and len(search.judge.judged) == 2
    assert [one.status for one in attempts] == ["accepted", "accepted", "incorrect"] * 2
    assert log.state().spent == attempts_spent(log) and log.state().spent.trials == 2


def attempts_spent(log: SearchLog) -> Spend:
    return sum((one.spent for one in log.state().attempts()), Spend())


def test_a_task_that_brings_nothing_new_is_stopped(tmp_path: Path) -> None:
    plan = plan_of(SOFTMAX, GELU, budget=Budget(trials=100), patience=4)
    log = ScriptedSearch(tmp_path, ("none", "accepted 2"), plan).go()
    stopped = [one.stopped for one in log.state().tasks]
    assert stopped == ["4 asks in a row brought nothing new"] * 2


def test_a_strategy_that_has_nothing_to_ask_ends_the_search(tmp_path: Path) -> None:
    plan = plan_of(SOFTMAX, GELU, budget=Budget(trials=100))
    script = tuple(f"accepted 1.{number}" for number in range(1, 8))
    log = ScriptedSearch(tmp_path, script, plan, OneByOne(asks=2)).go()
    assert [len(one.attempts) for one in log.state().tasks] == [2, 2]
    assert decisions(log, "stop")[-1][1] == "every task is stopped"


def test_lineage_is_in_the_provenance(tmp_path: Path) -> None:
    script = ("accepted 1.5", "accepted 2", "accepted 1.7")
    log = ScriptedSearch(tmp_path, script, plan_of(budget=Budget(trials=3))).go()
    made = [one.candidate.provenance for one in log.found().values()]
    assert [(one.sample, one.round) for one in made] == [(0, 0), (0, 1), (0, 2)]
    assert made[1].parents == (log.found()[0].candidate.id,)
    assert made[1].tokens_in == 40 and made[1].cost_usd == 0.5
    assert made[1].generator is not None and made[1].generator.name == "scripted"


def test_what_a_generator_is_told(tmp_path: Path) -> None:
    script = ("incorrect", "accepted 1.5", "accepted 2")
    search = ScriptedSearch(tmp_path, script, plan_of(budget=Budget(trials=3)))
    search.go()
    first, second, third = search.generator.requests
    assert first.history == () and first.left.trials == 3 and third.left.trials == 1
    assert second.history[0].feedback.startswith("incorrect")
    assert [one.candidate for one in third.parents] == [second_candidate(third)]
    assert {one.name for one in third.context} >= {"profile", "limits"}
    secrets = [plan.secret for plan in search.judge.plans if plan is not None]
    told = repr(search.generator.requests)
    assert secrets and not any(one in told for one in secrets)


def test_asks_side_by_side_know_of_each_other_and_of_no_verdict(tmp_path: Path) -> None:
    script = ("incorrect", "accepted 1.5", "accepted 2")
    search = ScriptedSearch(tmp_path, script, plan_of(budget=Budget(trials=3)), BestOfN(n=3))
    search.go()
    asked = search.generator.requests
    assert [(len(one.history), len(one.waiting)) for one in asked] == [(0, 0), (0, 1), (0, 2)]
    assert asked[2].tried == asked[2].waiting
    assert all(one.source and not one.status and not one.reason for one in asked[2].waiting)


def second_candidate(request: object) -> str:
    return request.history[1].candidate  # type: ignore[attr-defined]


def test_feedback_and_context_can_be_left_out(tmp_path: Path) -> None:
    plan = plan_of(
        budget=Budget(trials=3), feedback=FeedbackShown.NONE, without_context=("limits",)
    )
    search = ScriptedSearch(tmp_path, ("incorrect", "accepted 1.5", "accepted 2"), plan)
    search.go()
    last = search.generator.requests[-1]
    assert all(not one.feedback and not one.reason for one in last.history)
    assert "limits" not in {one.name for one in last.context}


def test_no_more_than_one_call_beyond_the_budget(tmp_path: Path) -> None:
    log = ScriptedSearch(
        tmp_path, ("accepted 2", "incorrect"), plan_of(budget=Budget(tokens=250))
    ).go()
    calls = [one for one in log.events if isinstance(one, LlmCall)]
    assert len(calls) == 3  # 300 of 250 tokens: the third was begun with 50 left
    assert "tokens" in decisions(log, "stop")[-1][1]


def test_an_ask_that_is_expected_to_cost_too_much_is_not_made(tmp_path: Path) -> None:
    search = ScriptedSearch(
        tmp_path, ("accepted 2",), plan_of(budget=Budget(tokens=250)), cost=Spend(tokens=100)
    )
    log = search.go()
    assert log.state().spent.tokens == 200 and len(search.generator.requests) == 2
    assert "expected to take 100 tokens" in decisions(log, "stop")[-1][1]


def test_a_larger_budget_goes_on(tmp_path: Path) -> None:
    script = tuple(f"accepted 1.{number}" for number in range(1, 8))
    ScriptedSearch(tmp_path, script, plan_of(budget=Budget(trials=2))).go()
    more = ScriptedSearch(tmp_path, script, plan_of(budget=Budget(trials=4)))
    log = more.go()
    assert len(list(log.state().attempts())) == 4 and more.generator.paid_keys == [
        "call-2",
        "call-3",
    ]


def test_a_search_that_has_ended_does_nothing_more(tmp_path: Path) -> None:
    ScriptedSearch(tmp_path, MIXED).go()
    again = ScriptedSearch(tmp_path, MIXED)
    (result,) = search_results(again.go())
    assert again.generator.requests == [] and again.judge.judged == []
    assert result.winner


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with RunStore(tmp_path, create=True) as store:
        run = store.begin(RUN)
        with SearchLease(store, run), pytest.raises(UsageError, match="another process"):
            SearchLease(store, run).__enter__()
        with SearchLease(store, run):
            pass
