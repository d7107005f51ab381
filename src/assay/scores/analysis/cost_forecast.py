"""Cost forecast: what a budget buys, resampled from what a generator did.

The rule: a task costs what all its candidates cost, failures too. Tasks are drawn with replacement
from those that were tried, one after the other, until a part of the budget is spent or all tasks
are done; the mean and the 95 % interval are those of many such draws.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from assay.data.scoring.score_analysis import CostForecast
from assay.scores.estimates import SEED
from assay.scores.graded import Graded
from assay.scores.grouped import Group
from assay.scores.kernelgenbench_scores import COSTS

RESOURCES = ("dollars", "tokens", "seconds")
REPEATS = 1000


def cost_forecast(group: Group, budget: Mapping[str, float], tasks: int | None) -> CostForecast:
    """Expected successes and time; `seconds` is that of generating and judging."""
    count = tasks or len(group.tasks)
    common = CostForecast(
        generator=group.generator, device=group.device, budget=dict(budget), tasks=count
    )
    tried = [entries for _, entries in group.by_task if entries]
    rows = [_row(entries, budget) for entries in tried]
    known = [row for row in rows if row is not None]
    if not known:
        names = " and ".join(budget)
        text = f"no task states {names} for all its candidates: no forecast"
        return common.model_copy(update={"reason": text})
    words = f"{len(known)} of {len(tried)} tried tasks, whose costs are all known"
    return _simulated(common, known, budget).model_copy(update={"made_from": words})


def _row(entries: Sequence[Graded], budget: Mapping[str, float]) -> dict[str, float] | None:
    """Costs of one task and whether it was solved; None where a cost of the budget is unknown."""
    found = {"solved": float(any(one.accepted for one in entries))}
    for name in {*budget, "seconds"}:
        costs = [_cost(one, name) for one in entries]
        known = [cost for cost in costs if cost is not None]
        if name in budget and len(known) < len(costs):
            return None
        found[name] = sum(known)
    return found


def _cost(one: Graded, name: str) -> float | None:
    if name != "seconds":
        return COSTS[name](one)
    made = one.provenance.seconds
    return None if made is None or one.status is None else made + one.judged_s


def _simulated(
    common: CostForecast, rows: Sequence[Mapping[str, float]], budget: Mapping[str, float]
) -> CostForecast:
    import numpy as np

    draw = np.random.default_rng(SEED)
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    successes, seconds, tried = [], [], []
    ended: Counter[str] = Counter()
    for _ in range(REPEATS):
        chosen = draw.integers(0, len(rows), common.tasks)
        reach = {n: int((columns[n][chosen].cumsum() <= most).sum()) for n, most in budget.items()}
        first = min(reach, key=lambda name: reach[name])
        done = reach[first]
        ended[first if done < common.tasks else ""] += 1
        successes.append(columns["solved"][chosen[:done]].sum())
        seconds.append(columns["seconds"][chosen[:done]].sum())
        tried.append(done)
    low, high = np.percentile(successes, [2.5, 97.5])
    short, long = np.percentile(seconds, [2.5, 97.5])
    changes = {
        "successes": float(np.mean(successes)),
        "successes_low": float(low),
        "successes_high": float(high),
        "tried": float(np.mean(tried)),
        "seconds": float(np.mean(seconds)),
        "seconds_low": float(short),
        "seconds_high": float(long),
        "binding": ended.most_common(1)[0][0],
    }
    return common.model_copy(update=changes)
