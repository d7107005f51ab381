"""What holds for every strategy: on scripted states, and on simulated searches to their end."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

from search_simulation import STRATEGIES, SimulatedSearch, reported_cheats
from simulated_landscape import SimulatedLandscape

from assay.data.generation.action import Action, Ask, Decide, StopTask
from assay.data.generation.budget import Budget, Spend
from assay.data.generation.search_event import Move
from assay.data.generation.search_state import SearchState
from assay.errors import UsageError
from assay.generators.strategies.strategy import Strategy
from searched_state import changed, empty, repaired, searched, tried

NAMES = "best-of-n greedy beam islands graph lineage bandit memory limit-steering".split()
CHEATS = (
    tried(0, "dishonest", speedup=50.0),
    tried(1, "suspicious", speedup=40.0),
    tried(2, speedup=30.0, below_limit=True),
)
STATES = {
    "nothing yet": searched(),
    "one failed": searched(tried(0, "incorrect")),
    "one accepted": searched(tried(0, speedup=1.3)),
    "several": searched(
        tried(0, speedup=1.3), changed(1, "c0", speedup=1.6), changed(2, "c1", "build_failed")
    ),
    "no candidate": searched(empty(0), tried(1, "crashed")),
    "cheats": searched(*CHEATS, tried(3, speedup=1.1)),
}

every = pytest.mark.parametrize("kind", STRATEGIES, ids=lambda one: one.name)


def asks(actions: tuple[Action, ...]) -> list[Ask]:
    return [one for one in actions if isinstance(one, Ask)]


def test_they_have_the_agreed_names() -> None:
    assert [one.name for one in STRATEGIES] == NAMES


@every
@pytest.mark.parametrize("state", STATES.values(), ids=list(STATES))
def test_the_same_state_gives_the_same_actions(kind: type[Strategy], state: SearchState) -> None:
    first = kind().propose(state)
    again = pickle.loads(pickle.dumps(kind()))
    assert again.propose(SearchState.model_validate_json(state.model_dump_json())) == first
    assert first


@every
@pytest.mark.parametrize("state", STATES.values(), ids=list(STATES))
def test_an_answer_asks_or_stops(kind: type[Strategy], state: SearchState) -> None:
    assert any(isinstance(one, Ask | StopTask) for one in kind().propose(state))


@every
def test_nothing_is_asked_of_a_stopped_task(kind: type[Strategy]) -> None:
    state = searched(tried(0))
    stopped = state.tasks[0].model_copy(update={"stopped": "enough"})
    assert kind().propose(state.model_copy(update={"tasks": (stopped,)})) == ()


@every
def test_nothing_is_asked_beyond_the_budget(kind: type[Strategy]) -> None:
    full = searched(tried(0), budget=Budget(trials=5), spent=Spend(trials=5))
    assert kind().propose(full) == ()
    nearly = searched(tried(0), budget=Budget(trials=5), spent=Spend(trials=4))
    assert len(asks(kind().propose(nearly))) <= 1


@every
def test_cheats_are_set_apart_and_never_built_on(kind: type[Strategy]) -> None:
    labelled = tuple(one.model_copy(update={"labels": {"step": "0"}}) for one in CHEATS)
    for others in ((), (tried(3, speedup=1.1),)):
        actions = kind().propose(searched(*labelled, *others))
        used = [one for ask in asks(actions) for one in (*ask.parents, *ask.shown)]
        assert {"c0", "c1", "c2"} & set(used) == set()
        decided = {one.candidate: one.decision for one in actions if isinstance(one, Decide)}
        assert {decided.get(f"c{place}") for place in range(3)} == {"quarantine"}


@every
def test_generators_that_have_nothing_more_are_not_asked_for_ever(kind: type[Strategy]) -> None:
    state = searched(*(empty(place) for place in range(12)))
    assert not asks(kind().propose(state))


@every
def test_repair_starts_from_failures_and_improvement_from_what_is_right(
    kind: type[Strategy],
) -> None:
    for state in STATES.values():
        by_id = {one.candidate: one for one in state.attempts()}
        for ask in asks(kind().propose(state)):
            parents = [by_id[one] for one in ask.parents]
            if ask.move is Move.DRAFT:
                assert not parents
            elif ask.move is Move.REPAIR:
                assert [one.status for one in parents] in [
                    ["incorrect"],
                    ["build_failed"],
                    ["crashed"],
                ]
            else:
                assert parents and all(one.accepted for one in parents)


@every
def test_repairs_in_a_row_are_capped(kind: type[Strategy]) -> None:
    chain = [tried(0, "incorrect"), *(repaired(place, f"c{place - 1}") for place in (1, 2, 3))]
    assert not [one for one in asks(kind().propose(searched(*chain))) if one.move is Move.REPAIR]
    shorter = asks(kind().propose(searched(*chain[:3])))
    assert kind.name == "best-of-n" or shorter


@every
def test_a_setting_that_is_not_there_is_named(kind: type[Strategy]) -> None:
    with pytest.raises(UsageError, match="no setting 'colour'; it has: asks"):
        kind().configured({"colour": "red"})
    with pytest.raises(UsageError, match="asks=many: a whole number"):
        kind().configured({"asks": "many"})
    with pytest.raises(UsageError, match="limit_share=2: from 0 to 1"):
        kind().configured({"limit_share": "2"})
    assert kind().configured({"asks": "7"}) != kind()


@every
@pytest.mark.parametrize("seed", range(2))
def test_a_simulated_search_ends_without_a_cheat_in_it(kind: type[Strategy], seed: int) -> None:
    search = SimulatedSearch(kind(), SimulatedLandscape(seed, 3), trials=90)
    end = search.run()
    assert end.spent.trials <= 90
    assert sum(one.cheat for one in search.landscape.kernels.values()) > 0
    assert reported_cheats(search, end) == 0
    repairs = [one for one in search.asks if one.move is Move.REPAIR]
    assert all(sum(one.task == name for one in repairs) <= 12 for name in search.landscape.tasks)


@every
def test_no_attempt_is_decided_twice(kind: type[Strategy]) -> None:
    search = SimulatedSearch(kind(), SimulatedLandscape(5, 2), trials=60)
    search.run()
    decided = [
        (one.task, one.candidate)
        for one in search.decisions
        if one.decision != "migrate" and one.candidate
    ]
    assert decided and len(decided) == len(set(decided))
