"""Search simulation: every strategy on simulated tasks, with a truth that it cannot see.

    python benchmarks/search_simulation.py [--seeds 50] [--out results/search_simulation.json]
        [--only every_strategy steering steering_with_few_asks memory ...]

Three questions:

1. Does any strategy report a cheat as a gain? (all strategies)
2. Does steering by limits reach 95 % of the gain with 70 % of the trials? Against the same number
   of asks for every task. As a control, 70 % of that number for every task. Asked once more where
   there are six asks for a task in place of forty.
3. Does memory reach the same best with fewer trials on the second half of a list of tasks, over
   ten seeds? "The same best" of a task is the smaller of the two final bests, less one percent.
   Asked once more of a landscape on which the right example helps twice as much.

The gain is the sum of ln(true speedup) over tasks, of what the search reports as best; a task whose
best is slower than its baseline counts nought. Intervals are Student's, 95 %, over seeds.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from scipy.stats import t as student
from simulated_landscape import LandscapeFacts, SimulatedLandscape

from assay.data.generation.action import Ask, Decide, StopTask
from assay.data.generation.budget import Budget, Spend
from assay.data.generation.search_state import SearchState, TaskState
from assay.generators.strategies.bandit import Bandit
from assay.generators.strategies.beam import Beam
from assay.generators.strategies.best_of_n import BestOfN
from assay.generators.strategies.graph import GraphSearch
from assay.generators.strategies.greedy import Greedy
from assay.generators.strategies.islands import Islands
from assay.generators.strategies.limit_steering import LimitSteering
from assay.generators.strategies.lineage import Lineage
from assay.generators.strategies.strategy import Strategy
from assay.generators.strategies.value_memory import ValueMemory

STRATEGIES: tuple[type[Strategy], ...] = (
    BestOfN,
    Greedy,
    Beam,
    Islands,
    GraphSearch,
    Lineage,
    Bandit,
    ValueMemory,
    LimitSteering,
)
OUT = Path(__file__).parent / "results" / "search_simulation.json"
USUAL = LandscapeFacts()
HELPFUL = replace(USUAL, technique_helps=2 * USUAL.technique_helps)
MOST_ANSWERS = 20_000  # of a strategy; more means that it does not end


@dataclass
class SimulatedSearch:
    """One search on a landscape, until nothing is asked or the trials are spent."""

    strategy: Strategy
    landscape: SimulatedLandscape
    trials: int | None = None
    decisions: list[Decide] = field(default_factory=list)
    asks: list[Ask] = field(default_factory=list)

    def run(self) -> SearchState:
        """The state at its end."""
        tasks = {one.task: one for one in self.landscape.begin()}
        for _ in range(MOST_ANSWERS):
            state = self.state(tasks)
            if state.budget.exceeded(state.spent):
                return state
            actions = self.strategy.propose(state)
            if not any(isinstance(one, Ask | StopTask) for one in actions):
                return state
            for one in actions:
                self._apply(one, tasks)
        raise RuntimeError(f"{self.strategy.name} did not end")

    def state(self, tasks: dict[str, TaskState]) -> SearchState:
        """What the strategy sees."""
        attempts = [one for task in tasks.values() for one in task.attempts]
        return SearchState(
            tasks=tuple(tasks.values()),
            budget=Budget(trials=self.trials),
            spent=Spend(
                tokens=sum(one.spent.tokens for one in attempts),
                seconds=sum(one.spent.seconds for one in attempts),
                trials=sum(one.spent.trials for one in attempts),
            ),
            seed=self.landscape.seed,
            generators=("simulated",),
        )

    def _apply(self, action: Ask | Decide | StopTask, tasks: dict[str, TaskState]) -> None:
        task = tasks.get(action.task)
        if isinstance(action, Decide):
            self.decisions.append(action)
        elif isinstance(action, StopTask) and task is not None:
            tasks[task.task] = task.model_copy(update={"stopped": action.reason})
        elif isinstance(action, Ask) and task is not None:
            attempt = self.landscape.answer(action, len(self.asks), task)
            self.asks.append(action)
            tasks[task.task] = task.model_copy(update={"attempts": (*task.attempts, attempt)})


@dataclass(frozen=True)
class Interval:
    """A mean over seeds with its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}] over {self.n} seeds"


def interval(values: Sequence[float]) -> Interval:
    """Student's interval of a mean."""
    mean = fmean(values)
    half = float(student.ppf(0.975, len(values) - 1)) * stdev(values) / math.sqrt(len(values))
    return Interval(mean, mean - half, mean + half, len(values))


def gain(state: SearchState, landscape: SimulatedLandscape) -> float:
    """The sum of ln(true speedup) of what is reported as best."""
    bests = [one.best.candidate for one in state.tasks if one.best is not None]
    return sum(math.log(max(1.0, landscape.true_speedup(one))) for one in bests)


def reported_cheats(search: SimulatedSearch, state: SearchState) -> int:
    """Cheats that were reported as best, kept, built on or shown as an example."""
    used = [one.best.candidate for one in state.tasks if one.best is not None]
    used += [one.candidate for one in search.decisions if one.decision == "keep"]
    used += [one for ask in search.asks for one in (*ask.parents, *ask.shown)]
    return sum(map(search.landscape.is_cheat, used))


def every_strategy(seeds: Sequence[int], tasks: int = 12) -> dict[str, Any]:
    """Question 1, and how each strategy does with its usual settings."""
    found: dict[str, Any] = {}
    for kind in STRATEGIES:
        gains, asked, made, reported = [], [], 0, 0
        stops: Counter[str] = Counter()
        for seed in seeds:
            search = SimulatedSearch(kind(), SimulatedLandscape(seed, tasks), trials=40 * tasks)
            state = search.run()
            gains.append(math.exp(gain(state, search.landscape) / tasks))
            asked.append(state.spent.trials / tasks)
            made += sum(one.cheat for one in search.landscape.kernels.values())
            reported += reported_cheats(search, state)
            stops.update(_kind_of(one.stopped) for one in state.tasks)
        found[kind.name] = {
            "geometric_mean_speedup": asdict(interval(gains)),
            "trials_a_task": asdict(interval(asked)),
            "cheats_made": made,
            "cheats_reported_or_built_on": reported,
            "ends": dict(stops.most_common()),
        }
        print(
            f"{kind.name:15} speedup {interval(gains)}; trials a task {fmean(asked):.1f}; "
            f"cheats: {made} made, {reported} reported or built on",
            flush=True,
        )
    return found


def steering(
    seeds: Sequence[int], tasks: int = 20, asks: int = 40, share: float = 0.7
) -> dict[str, Any]:
    """Question 2."""

    def uniform(count: int) -> Greedy:
        return Greedy(asks=count, seconds=0, limit_share=0, plateau=0)

    gains: dict[str, list[float]] = {"steered": [], "uniform with fewer asks": []}
    trials: dict[str, list[float]] = {"steered": [], "uniform with fewer asks": []}
    for seed in seeds:
        whole = SimulatedSearch(uniform(asks), SimulatedLandscape(seed, tasks))
        end = whole.run()
        full_gain, full_trials = gain(end, whole.landscape), end.spent.trials
        runs: dict[str, tuple[Strategy, int | None]] = {
            "steered": (LimitSteering(seconds=0), int(share * full_trials)),
            "uniform with fewer asks": (uniform(round(share * asks)), None),
        }
        for name, (strategy, budget) in runs.items():
            search = SimulatedSearch(strategy, SimulatedLandscape(seed, tasks), budget)
            state = search.run()
            gains[name].append(gain(state, search.landscape) / full_gain)
            trials[name].append(state.spent.trials / full_trials)
    found: dict[str, Any] = {"tasks": tasks, "asks_a_task_of_uniform": asks}
    for name in gains:
        found[name] = {
            "share_of_gain": asdict(interval(gains[name])),
            "share_of_trials": asdict(interval(trials[name])),
        }
        print(f"{name}: share of gain {interval(gains[name])}; of trials {interval(trials[name])}")
    met = found["steered"]["share_of_gain"]["low"] >= 0.95
    found["at_least_95_percent_with_70"] = met and max(trials["steered"]) <= share
    return found


def memory(
    seeds: Sequence[int],
    facts: LandscapeFacts = USUAL,
    tasks: int = 24,
    asks: int = 30,
) -> dict[str, Any]:
    """Question 3."""

    def remembering(items: int) -> ValueMemory:
        return ValueMemory(items=items, asks=asks, seconds=0, limit_share=0, plateau=0)

    ratios, bests, firsts = [], [], []
    for seed in seeds:
        curves = [
            _curves(SimulatedSearch(remembering(items), SimulatedLandscape(seed, tasks, facts)))
            for items in (2, 0)
        ]
        halves = [[], []]  # type: list[list[tuple[int, int]]]
        for place, (with_it, without) in enumerate(zip(*curves, strict=True)):
            same = 0.99 * min(with_it[-1], without[-1])
            halves[2 * place // tasks].append((_reached(with_it, same), _reached(without, same)))
        firsts.append(_ratio(halves[0]))
        ratios.append(_ratio(halves[1]))
        second = slice(tasks // 2, tasks)
        logs = [
            math.log(a[-1] / b[-1])
            for a, b in zip(curves[0][second], curves[1][second], strict=True)
            if a[-1] and b[-1]
        ]
        bests.append(math.exp(fmean(logs)))
    found = {
        "tasks": tasks,
        "asks_a_task": asks,
        "trials_to_the_same_best_second_half": asdict(interval(ratios)),
        "trials_to_the_same_best_first_half": asdict(interval(firsts)),
        "final_best_second_half": asdict(interval(bests)),
        "fewer_trials": interval(ratios).high < 1,
    }
    print(f"memory: trials to the same best over those without, second half: {interval(ratios)}")
    print(f"memory: the same for the first half: {interval(firsts)}")
    print(f"memory: final best over that without, second half: {interval(bests)}")
    return found


def _curves(search: SimulatedSearch) -> list[list[float]]:
    """The true speed of the best so far, after each attempt, of every task."""
    state, found = search.run(), []
    for task in state.tasks:
        curve: list[float] = []
        for end in range(1, len(task.attempts) + 1):
            best = task.model_copy(update={"attempts": task.attempts[:end]}).best
            curve.append(search.landscape.true_speedup(best.candidate) if best else 0.0)
        found.append(curve)
    return found


def _reached(curve: list[float], level: float) -> int:
    """The trial at which the curve is first there."""
    return next(place for place, one in enumerate(curve, 1) if one >= level)


def _ratio(pairs: list[tuple[int, int]]) -> float:
    return sum(one for one, _ in pairs) / sum(other for _, other in pairs)


def _kind_of(reason: str) -> str:
    """A reason without its numbers."""
    return " ".join(one for one in reason.split() if not any(map(str.isdigit, one))) or "budget"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=50, help="of steering; memory has ten")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--first-seed", type=int, default=2000, help="0 to 1015 were developed on")
    parser.add_argument("--only", nargs="+", help="these parts; the others stay as recorded")
    given = parser.parse_args()
    first = given.first_seed
    ten = range(first, first + 10)
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "every_strategy": lambda: every_strategy(ten),
        "steering": lambda: steering(range(first, first + given.seeds)),
        "steering_with_few_asks": lambda: steering(range(first, first + given.seeds), asks=6),
        "memory": lambda: memory(ten),
        "memory_where_examples_help_more": lambda: memory(ten, HELPFUL),
    }
    facts = {"first_seed": first, "facts": asdict(USUAL)}
    found: dict[str, Any] = dict(facts)
    if given.only and given.out.exists():
        found = json.loads(given.out.read_text(encoding="utf-8"))
        if {name: found.get(name) for name in facts} != facts:
            parser.error(f"{given.out} is of other seeds or facts: run all parts")
    for name in given.only or parts:
        if name not in parts:
            parser.error(f"no part '{name}': known are {', '.join(parts)}")
        print(f"{name}:", flush=True)
        found[name] = parts[name]()
        given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"written to {given.out}")


if __name__ == "__main__":
    main()
