"""Cost forecast: what a budget buys, resampled from what a generator did.

The rule: a task costs what all its candidates cost, failures too. A task to come is like a tried
one of its category, or like any tried one where the category was never tried or none is asked for.
Tasks are drawn until a part of the budget is spent or all of them are done. The tried tasks
themselves are resampled before each draw, so that the interval is wide where few were tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.data.scoring.score_analysis import CostForecast
from assay.scores.estimates import SEED
from assay.scores.graded import Graded, GradedTask
from assay.scores.grouped import Group
from assay.scores.kernelgenbench_scores import COSTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.intp]

RESOURCES = ("dollars", "tokens", "seconds")
REPEATS = 1000


@dataclass(frozen=True)
class TasksAhead:
    """What the budget is for."""

    count: int | None = None  # None: as many as the suite has, or the run
    suite: str = ""
    tasks: tuple[GradedTask, ...] = ()  # of the suite


@dataclass(frozen=True)
class TriedTask:
    """What one task cost, and whether it was solved."""

    category: str
    solved: bool
    costs: Mapping[str, float]  # of the budget
    seconds: float | None  # None: some candidate does not say how long it took to make


def cost_forecast(group: Group, budget: Mapping[str, float], ahead: TasksAhead) -> CostForecast:
    """Expected successes and time; `seconds` is that of generating and judging."""
    common = CostForecast(
        generator=group.generator,
        device=group.device,
        budget=dict(budget),
        suite=ahead.suite,
        tasks=ahead.count or len(ahead.tasks or group.tasks),
    )
    given = [(task, entries) for task, entries in group.by_task if entries]
    tried = [row for row in (_tried(*one, budget) for one in given) if row is not None]
    if not tried:
        names = " and ".join(budget)
        text = f"no task states {names} for all its candidates: no forecast"
        return common.model_copy(update={"reason": text})
    words = f"{len(tried)} of {len(given)} tried tasks, whose costs are all known"
    words += _untried_words(tried, ahead)
    return _simulated(common.model_copy(update={"made_from": words}), tried, ahead.tasks)


def _tried(
    task: GradedTask, entries: Sequence[Graded], budget: Mapping[str, float]
) -> TriedTask | None:
    """None where a cost of the budget is unknown."""
    costs = {name: _total([_cost(one, name) for one in entries]) for name in budget}
    known = {name: cost for name, cost in costs.items() if cost is not None}
    if len(known) < len(costs):
        return None
    solved = any(one.accepted for one in entries)
    return TriedTask(task.category, solved, known, _total([_seconds(one) for one in entries]))


def _total(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _cost(one: Graded, name: str) -> float | None:
    return _seconds(one) if name == "seconds" else COSTS[name](one)


def _seconds(one: Graded) -> float | None:
    made = one.provenance.seconds
    return None if made is None or one.status is None else made + one.judged_s


def _untried_words(tried: Sequence[TriedTask], ahead: TasksAhead) -> str:
    known = {one.category for one in tried}
    untried = sum(task.category not in known for task in ahead.tasks)
    if not untried:
        return ""
    total = len(ahead.tasks)
    return f"; {untried} of the {total} tasks of {ahead.suite} are of a category that was not tried"


def _simulated(
    common: CostForecast, tried: Sequence[TriedTask], ahead: Sequence[GradedTask]
) -> CostForecast:
    import numpy as np

    draw = np.random.default_rng(SEED)
    costs = {name: np.array([one.costs[name] for one in tried]) for name in common.budget}
    solved = np.array([one.solved for one in tried])
    seconds = np.array([np.nan if one.seconds is None else one.seconds for one in tried])
    pools, pool_of = _pools(tried, ahead)
    successes, times, counts = [], [], []
    ended: Counter[str] = Counter()
    for _ in range(REPEATS):
        wanted = pool_of[draw.integers(0, len(pool_of), common.tasks)]
        chosen = _drawn(draw, pools, wanted)
        reach = {n: int((costs[n][chosen].cumsum() <= m).sum()) for n, m in common.budget.items()}
        first = min(reach, key=lambda name: reach[name])
        done = chosen[: reach[first]]
        ended[first if len(done) < common.tasks else ""] += 1
        successes.append(solved[done].sum())
        times.append(seconds[done].sum())
        counts.append(len(done))
    changes = {
        **_estimate("successes", successes),
        **({} if np.isnan(seconds).any() else _estimate("seconds", times)),
        "tried": float(np.mean(counts)),
        "binding": ended.most_common(1)[0][0],
    }
    return common.model_copy(update=changes)


def _pools(tried: Sequence[TriedTask], ahead: Sequence[GradedTask]) -> tuple[list[Places], Places]:
    """Sets of tried tasks, the first one of all, and the set that each task to come is like."""
    import numpy as np

    known = sorted({one.category for one in tried} & {task.category for task in ahead})
    members = [[n for n, one in enumerate(tried) if one.category == name] for name in known]
    pools = [np.arange(len(tried)), *(np.array(found) for found in members)]
    numbers = {name: number for number, name in enumerate(known, 1)}
    return pools, np.array([numbers.get(task.category, 0) for task in ahead] or [0])


def _drawn(draw: np.random.Generator, pools: Sequence[Places], wanted: Places) -> Places:
    """A tried task for each task to come, from its set, which is resampled first."""
    import numpy as np

    chosen = np.empty(len(wanted), int)
    for number, pool in enumerate(pools):
        again = pool[draw.integers(0, len(pool), len(pool))]
        places = np.flatnonzero(wanted == number)
        chosen[places] = again[draw.integers(0, len(pool), len(places))]
    return chosen


def _estimate(name: str, values: Sequence[float]) -> dict[str, float]:
    """The mean and the 95 % interval of what was drawn."""
    import numpy as np

    low, high = np.percentile(values, [2.5, 97.5])
    return {name: float(np.mean(values)), f"{name}_low": float(low), f"{name}_high": float(high)}
