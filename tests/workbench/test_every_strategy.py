"""Every strategy, end to end with a scripted generator and judge: no cheat is ever a gain."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.data.generation.budget import Budget
from assay.data.generation.search_event import DecisionMade
from assay.generators.strategies.strategy_registry import STRATEGIES, strategy
from assay.workbench.search_results import search_results
from workbench.scripted_search import GELU, SOFTMAX, ScriptedSearch, plan_of

CHEATS = (
    *("dishonest 9", "suspicious 8", "accepted 60", "none", "fail", "crashed"),
    *("accepted 9/dishonest 9", "dishonest 7"),
)
NAMES = sorted(STRATEGIES.built_in)


@pytest.mark.parametrize("name", NAMES)
def test_a_cheating_generator_gains_nothing(tmp_path: Path, name: str) -> None:
    """What is accepted in the search and found out at its confirmation is no winner either."""
    plan = plan_of(SOFTMAX, GELU, budget=Budget(trials=6), strategy=name)
    log = ScriptedSearch(tmp_path, CHEATS, plan, strategy(name)).go()
    results = search_results(log)
    assert [one.winner for one in results] == ["", ""]
    assert sum(one.untrusted for one in results) > 0
    decided = {one.decision for one in log.events if isinstance(one, DecisionMade)}
    assert "winner" not in decided


@pytest.mark.parametrize("name", NAMES)
def test_an_honest_gain_is_found_among_them(tmp_path: Path, name: str) -> None:
    script = ("dishonest 9", "accepted 2", "incorrect", "accepted 60", "none", "accepted 3")
    plan = plan_of(budget=Budget(trials=6, tokens=1500), strategy=name)
    log = ScriptedSearch(tmp_path, script, plan, strategy(name)).go()
    (result,) = search_results(log)
    found = log.judged("softmax", result.winner)
    assert found is not None and found.candidate.main.text.startswith("# accepted ")
    assert "60" not in found.candidate.main.text
    assert log.state().spent.tokens <= 1500 + 100
