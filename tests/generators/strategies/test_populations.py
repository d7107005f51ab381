"""Strategies with many candidates at a time: beam, islands, graph."""

from __future__ import annotations

from assay.data.generation.action import Ask, Decide, StopTask
from assay.data.generation.search_event import Move
from assay.data.generation.search_state import SearchState
from assay.generators.strategies.beam import Beam
from assay.generators.strategies.graph import GraphSearch
from assay.generators.strategies.islands import Islands
from assay.generators.strategies.rules.elite_cells import EliteCells, elites
from assay.generators.strategies.rules.task_view import TaskView
from assay.generators.strategies.strategy import Strategy
from searched_state import changed, searched, several, tried


def asks(strategy: Strategy, state: SearchState) -> list[Ask]:
    return [one for one in strategy.propose(state) if isinstance(one, Ask)]


def test_a_beam_drafts_then_asks_for_width_times_bottlenecks() -> None:
    assert [one.move for one in asks(Beam(), searched())] == [Move.DRAFT] * 4
    state = searched(tried(0, speedup=1.2), tried(1, speedup=1.8), tried(2, speedup=1.5))
    found = asks(Beam(), state)
    assert [one.parents for one in found] == [("c1",), ("c1",), ("c2",), ("c2",)]
    assert len({(one.parents, one.labels["direction"]) for one in found}) == 4


def test_a_beam_repairs_a_round_before_the_next_and_ends_after_its_rounds() -> None:
    first = {"step": "1", "round": "1"}
    state = searched(
        tried(0, labels={"step": "0"}),
        changed(1, "c0", "incorrect", labels=first),
        changed(2, "c0", speedup=1.4, labels=first),
    )
    assert [(one.move, one.parents) for one in asks(Beam(), state)] == [(Move.REPAIR, ("c1",))]
    last = changed(3, "c2", speedup=0.5, labels={"step": "9", "round": "5"})
    ended = Beam().propose(searched(tried(0), last))
    assert [one.reason for one in ended if isinstance(one, StopTask)] == ["5 rounds were made"]


def test_an_elite_gives_way_only_beyond_noise() -> None:
    first, equal, better = tried(0, speedup=1.0), tried(1, speedup=1.005), tried(2, speedup=1.2)
    other = tried(3, speedup=0.4, bottleneck="launch")
    assert [one.candidate for one in elites((first, equal))] == ["c0"]
    assert [one.candidate for one in elites((first, equal, better, other))] == ["c2", "c3"]


def test_islands_stay_apart_until_an_epoch_ends() -> None:
    own = [tried(place, speedup=1 + place, labels={"island": str(place % 2)}) for place in range(4)]
    view = TaskView(searched(*own), searched(*own).tasks[0])
    early = EliteCells(view, islands=2, epoch=5, migrants=0.1)
    assert {one.candidate for one in early.members(0)} == {"c0", "c2"}
    later = EliteCells(view, islands=2, epoch=4, migrants=0.1)
    assert {one.candidate for one in later.members(0)} == {"c0", "c2", "c3"}
    assert [one.candidate for one in later.arrived(1)] == ["c2"]


def test_every_island_is_asked_and_what_migrates_is_told() -> None:
    own = [
        tried(place, speedup=1 + place, labels={"island": str(place % 2), "step": "0"})
        for place in range(4)
    ]
    strategy = Islands(islands=2, epoch=4, combine=0.0)
    actions = strategy.propose(searched(*own))
    assert [one.labels["island"] for one in actions if isinstance(one, Ask)] == ["0", "1"]
    told = [one for one in actions if isinstance(one, Decide) and one.decision == "migrate"]
    assert {one.candidate for one in told} == {"c2", "c3"}
    fifth = changed(4, "c0", labels={"island": "0", "step": "1"})
    again = strategy.propose(searched(*own, fifth))
    assert not [one for one in again if isinstance(one, Decide) and one.decision == "migrate"]


def test_two_elites_may_be_combined() -> None:
    own = [
        tried(0, bottleneck="memory", labels={"island": "0"}),
        tried(1, bottleneck="launch", labels={"island": "0"}),
    ]
    (ask,) = asks(Islands(islands=1, combine=1.0), searched(*own))
    assert ask.move is Move.CROSSOVER and set(ask.parents) == {"c0", "c1"}


def test_islands_share_the_cap_of_repairs() -> None:
    own = [tried(place, "crashed", labels={"island": str(place)}) for place in range(3)]
    found = asks(Islands(islands=3, most_repairs=2), searched(*own))
    assert sorted(one.move.value for one in found) == ["draft", "repair", "repair"]


def test_the_operator_follows_from_the_node() -> None:
    assert [one.move for one in asks(GraphSearch(width=2), searched())] == [Move.DRAFT] * 2
    failed = asks(GraphSearch(width=1), searched(tried(0, "incorrect")))
    assert [(one.move, one.context[0]) for one in failed] == [(Move.REPAIR, "explanation")]
    good = asks(GraphSearch(width=1), searched(tried(0, speedup=2.0)))
    assert [(one.move, one.parents) for one in good] == [(Move.OPTIMISE, ("c0",))]


def test_selection_looks_at_the_whole_graph() -> None:
    best = tried(0, speedup=2.0)
    children = [changed(place, "c0", speedup=1.9) for place in range(1, 9)]
    (ask,) = asks(GraphSearch(width=1), searched(best, *children))
    assert ask.parents[0] in {one.candidate for one in children}, "the best was tried eight times"
    (greedy,) = asks(GraphSearch(width=1, policy="greedy"), searched(best, *children))
    assert greedy.parents == ("c0",)


def test_the_context_of_a_node_changes_with_its_visits() -> None:
    strategy = GraphSearch(width=1, policy="greedy", plateau=0)
    state = [tried(0, speedup=2.0)]
    seen = []
    for place in (1, 2, 3):
        (ask,) = asks(strategy, searched(*state))
        seen.append(tuple(one for one in ask.context if one != "examples"))
        state.append(changed(place, "c0", speedup=1.0))
    assert len(set(seen)) == 3


def test_examples_come_from_tasks_that_are_alike() -> None:
    state = several(
        softmax_new=(),
        softmax_old=(tried(0, source="torch.softmax(x) rows"),),
        conv_old=(tried(1, source="torch.conv2d(x) images"),),
    )
    first = asks(GraphSearch(width=1, shown=1), state)[0]
    assert (first.task, first.shown) == ("softmax_new", ("c0",))
