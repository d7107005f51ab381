"""Strategies with one lineage: keep or revert, move-on rules, the supervisor."""

from __future__ import annotations

import pytest

from assay.data.generation.action import Ask, Decide, StopTask
from assay.data.generation.budget import Spend
from assay.data.generation.search_event import Move
from assay.data.generation.search_state import SearchState
from assay.generators.strategies.best_of_n import BestOfN
from assay.generators.strategies.greedy import Greedy
from assay.generators.strategies.lineage import Lineage
from assay.generators.strategies.strategy import Strategy
from searched_state import changed, repaired, searched, several, tried


def only(strategy: Strategy, state: SearchState) -> Ask:
    (found,) = [one for one in strategy.propose(state) if isinstance(one, Ask)]
    return found


def stopped(strategy: Strategy, state: SearchState) -> str:
    found = [one.reason for one in strategy.propose(state) if isinstance(one, StopTask)]
    return found[0] if found else ""


def test_best_of_n_asks_for_what_is_missing_and_shares_it_out() -> None:
    state = searched(tried(0), generators=("first", "second"))
    asks = [one for one in BestOfN(n=4).propose(state) if isinstance(one, Ask)]
    assert [one.generator for one in asks] == ["second", "first", "second"]
    assert {one.move for one in asks} == {Move.DRAFT}
    assert stopped(BestOfN(n=1), state) == "1 drafts were asked for"


def test_greedy_goes_on_from_the_last_that_was_kept() -> None:
    state = searched(
        tried(0, speedup=1.0), changed(1, "c0", speedup=1.5), changed(2, "c1", speedup=0.9)
    )
    ask = only(Greedy(), state)
    assert (ask.move, ask.parents) == (Move.OPTIMISE, ("c1",))


def test_a_gain_within_noise_is_reverted() -> None:
    state = searched(
        tried(0, speedup=1.0),
        changed(1, "c0", speedup=1.004, labels={"step": "1"}),  # the intervals overlap
    )
    actions = Greedy().propose(state)
    assert [one.decision for one in actions if isinstance(one, Decide)] == ["revert"]
    assert only(Greedy(), state).parents == ("c0",)


def test_greedy_repairs_a_change_once_and_a_draft_three_times() -> None:
    broken = changed(1, "c0", "incorrect")
    assert only(Greedy(), searched(tried(0), broken)).move is Move.REPAIR
    after = searched(tried(0), broken, repaired(2, "c1"))
    assert (only(Greedy(), after).move, only(Greedy(), after).parents) == (Move.OPTIMISE, ("c0",))
    drafts = [tried(0, "crashed"), repaired(1, "c0"), repaired(2, "c1")]
    assert only(Greedy(), searched(*drafts)).move is Move.REPAIR
    assert only(Greedy(), searched(*drafts, repaired(3, "c2"))).move is Move.DRAFT


def test_the_cap_of_repairs_of_a_task_holds_across_drafts() -> None:
    state = searched(tried(0, "crashed"), repaired(1, "c0"), tried(2, "crashed"))
    assert only(Greedy(most_repairs=1), state).move is Move.DRAFT
    assert only(Greedy(most_repairs=2), state).move is Move.REPAIR


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (searched(tried(0, speedup=9.2)), "92 % of the limit is reached"),
        (
            searched(tried(0), *(changed(place, "c0", speedup=0.8) for place in range(1, 6))),
            "no gain beyond noise in 5 asks",
        ),
        (searched(tried(0, spent=Spend(seconds=7300))), "generators took 7300 s for this task"),
    ],
    ids=["limit", "reverts", "clock"],
)
def test_greedy_moves_on(state: SearchState, reason: str) -> None:
    assert stopped(Greedy(), state) == reason


def test_the_clock_of_one_task_is_not_that_of_another() -> None:
    state = several(slow=(tried(0, spent=Spend(seconds=8000)),), fresh=(tried(1),))
    actions = Greedy().propose(state)
    assert [one.task for one in actions if isinstance(one, StopTask)] == ["slow"]
    assert [one.task for one in actions if isinstance(one, Ask)] == ["fresh"]


def test_a_speedup_that_is_enough_counts_by_the_lower_end_of_its_interval() -> None:
    rule = Greedy(speedup=2.0)
    assert not stopped(rule, searched(tried(0, speedup=2.0)))
    assert "2.09 times as fast" in stopped(rule, searched(tried(0, speedup=2.1)))


def test_a_point_of_a_template_is_followed_by_another_point() -> None:
    state = searched(tried(0, choices={"block": "64"}))
    assert only(Greedy(), state).move is Move.CONFIG
    both = searched(tried(0, choices={"block": "64"}, generator="other"))
    assert only(Greedy(), both).move is Move.OPTIMISE


def test_every_generator_drafts_once_before_the_first_goes_on() -> None:
    state = searched(tried(0, "incorrect"), generators=("first", "second"))
    asks = [one for one in Greedy(repairs=0).propose(state) if isinstance(one, Ask)]
    assert [one.generator for one in asks] == ["second"]


def test_the_measured_bottleneck_says_what_to_change_first() -> None:
    memory = only(Greedy(), searched(tried(0, bottleneck="memory")))
    launch = only(Greedy(), searched(tried(0, bottleneck="launch")))
    assert (memory.labels["direction"], launch.labels["direction"]) == ("traffic", "launches")
    tried_it = changed(1, "c0", speedup=0.9, labels={"direction": "traffic"})
    after = only(Greedy(), searched(tried(0, bottleneck="memory"), tried_it))
    assert after.labels["direction"] == "access"


def test_the_lineage_shows_its_versions_in_order() -> None:
    state = searched(
        tried(0, speedup=1.0), changed(1, "c0", speedup=1.5), changed(2, "c1", speedup=2.0)
    )
    ask = only(Lineage(), state)
    assert (ask.parents, ask.shown) == (("c2",), ("c0", "c1"))
    assert "examples" in ask.context


def test_the_supervisor_leads_farther_away_the_longer_nothing_is_gained() -> None:
    versions = [tried(0, speedup=1.0), changed(1, "c0", speedup=1.5)]
    seen = []
    for waited in (0, 2, 4, 6):
        later = [changed(place, "c1", speedup=0.9) for place in range(2, 2 + waited)]
        ask = only(Lineage(patience=2), searched(*versions, *later))
        seen.append((ask.labels["redirection"], ask.move, ask.parents))
    assert seen == [
        ("none", Move.OPTIMISE, ("c1",)),
        ("other direction", Move.OPTIMISE, ("c1",)),
        ("earlier version", Move.OPTIMISE, ("c0",)),
        ("fresh draft", Move.DRAFT, ()),
    ]
    later = [changed(place, "c1", speedup=0.9) for place in range(2, 10)]
    assert "three redirections" in stopped(Lineage(patience=2), searched(*versions, *later))
