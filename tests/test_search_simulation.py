"""The simulated landscape on which strategies are compared, and what the comparison counts."""

from __future__ import annotations

import json
import math
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from search_simulation import SimulatedSearch, gain, interval, reported_cheats
from simulated_landscape import LandscapeFacts, SimulatedLandscape
from steering_search import (
    STOP_S,
    SearchedTask,
    SteeringComparison,
    StoredSearch,
    end_in_time,
    searched_task,
)

from assay.data.generation.action import Action, Ask
from assay.data.generation.attempt import Attempt
from assay.data.generation.budget import Spend
from assay.data.generation.search_event import Move
from assay.data.generation.search_result import SearchResult
from assay.data.generation.search_state import SearchState
from assay.generators.strategies.greedy import Greedy
from assay.generators.strategies.strategy import Strategy


class Gullible(Strategy):
    """Goes on from whatever looks fastest, whatever its verdict."""

    name = "gullible"

    def propose(self, state: SearchState) -> tuple[Action, ...]:
        """One ask of every task."""
        return tuple(self._ask(one.task, one.attempts) for one in state.open_tasks)

    def _ask(self, task: str, attempts: tuple[Attempt, ...]) -> Ask:
        fast = max(attempts, key=lambda one: one.speedup or 0.0, default=None)
        if fast is None or fast.speedup is None:
            return Ask(task=task)
        return Ask(task=task, move=Move.OPTIMISE, parents=(fast.candidate,))


def test_a_strategy_that_looks_at_speed_alone_falls_for_cheats() -> None:
    search = SimulatedSearch(Gullible(), SimulatedLandscape(0, 4), trials=120)
    assert reported_cheats(search, search.run()) > 0


def test_a_search_follows_from_its_seed() -> None:
    ends = [SimulatedSearch(Greedy(), SimulatedLandscape(seed, 3)).run() for seed in (7, 7, 8)]
    assert ends[0] == ends[1] != ends[2]


def test_drafts_are_right_and_slow_as_often_as_stated() -> None:
    facts = LandscapeFacts(cheats=0.0, no_candidate=0.0, headroom=100.0)
    landscape = SimulatedLandscape(0, 400, facts)
    made = [
        landscape.answer(Ask(task=one.task), place, one)
        for place, one in enumerate(landscape.begin())
    ]
    right = [landscape.true_speedup(one.candidate) for one in made if one.accepted]
    assert len(right) / len(made) == pytest.approx(facts.correct_draft, abs=0.08)
    slower = sum(one < 1 for one in right) / len(right)
    assert slower == pytest.approx(facts.slower_drafts, abs=0.1)


def test_no_honest_kernel_passes_what_can_be_reached() -> None:
    search = SimulatedSearch(Greedy(plateau=0, limit_share=0), SimulatedLandscape(1, 6))
    end = search.run()
    for task in end.tasks:
        fastest = max(search.landscape.true_speedup(one.candidate) for one in task.attempts)
        assert fastest <= search.landscape.tasks[task.task].reachable


def test_a_task_that_became_slower_adds_no_gain() -> None:
    search = SimulatedSearch(Greedy(asks=1), SimulatedLandscape(2, 30))
    end = search.run()
    true = [search.landscape.true_speedup(one.best.candidate) for one in end.tasks if one.best]
    assert any(one < 1 for one in true)
    assert gain(end, search.landscape) >= 0


def test_the_interval_is_students() -> None:
    found = interval([1.0, 2.0, 3.0])
    assert (found.mean, found.n) == (2.0, 3)
    assert found.high - found.mean == pytest.approx(4.303 / 3**0.5, rel=1e-3)


def searched(**tasks: tuple[float | None, int]) -> StoredSearch:
    rows = [SearchedTask(name, speed, trials, 1) for name, (speed, trials) in tasks.items()]
    return StoredSearch(tuple(rows))


def test_shares_of_real_searches() -> None:
    uniform = searched(a=(4.0, 20), b=(0.5, 20), c=(None, 20))
    steered = searched(a=(2.0, 30), b=(1.0, 6), c=(None, 6))
    found = SteeringComparison(uniform, steered)
    assert found.share_of_gain == pytest.approx(0.5)
    assert found.share_of_trials == pytest.approx(0.7)
    slow = SteeringComparison(searched(b=(1.0, 6)), steered)
    assert slow.share_of_gain is None and "gained nothing" in slow.lines()[0]


def test_what_was_stopped_or_not_timed_is_said() -> None:
    untimed = StoredSearch((SearchedTask("a", None, 3, 2),), stopped=True, untimed="a busy machine")
    said = "\n".join(SteeringComparison(untimed, StoredSearch(())).lines())
    assert "stopped by the time, 3 trials" in said
    assert "were not timed: a busy machine" in said
    assert (
        "a                            equal asks: not timed in 3 trials; steering: not begun"
        in said
    )


def test_a_search_that_goes_on_is_stopped_at_its_time(tmp_path: Path) -> None:
    """A command that ends itself has its exit code; one that does not is told to stop."""
    with (tmp_path / "log").open("w+") as log:
        assert end_in_time([sys.executable, "-c", "raise SystemExit(3)"], log, math.inf) == 3
        sleeps = "import sys, time; print('begun', file=sys.stderr, flush=True); time.sleep(60)"
        until = time.monotonic() + STOP_S + 1.0
        assert end_in_time([sys.executable, "-c", sleeps], log, until) is None
        assert time.monotonic() < until
    assert "KeyboardInterrupt" in (tmp_path / "log").read_text()


def test_a_result_counts_with_its_best() -> None:
    best = Attempt(number=0, task="a", candidate="x", status="accepted", speedup=2.0)
    fields = {"task": "a", "reason": "", "attempts": 5, "accepted": 1}
    more = {"below_limit": 0, "untrusted": 0, "spent": Spend(trials=4)}
    assert searched_task(SearchResult(**fields, **more, best=best)) == SearchedTask("a", 2.0, 4, 1)
    assert searched_task(SearchResult(**fields, **more)).speedup is None


def test_the_pages_have_the_figures_of_the_record() -> None:
    root = Path(__file__).parents[1]
    record = json.loads((root / "benchmarks/results/search_simulation.json").read_text())
    second = "trials_to_the_same_best_second_half"
    parts = [record["steering"]["steered"]["share_of_gain"], record["memory"][second]]
    parts.append(record["memory_where_examples_help_more"][second])
    for page in ("docs/search.md", "docs/strategies.md"):
        text = " ".join((root / page).read_text(encoding="utf-8").split())
        for one in parts:
            assert f"{one['mean']:.3f} [{one['low']:.3f}, {one['high']:.3f}]" in text, page
