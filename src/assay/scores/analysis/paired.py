"""Paired: two runs or generators, compared task by task.

The rule: the task is the pair. Correctness is tested by McNemar's exact test, speed by Wilcoxon's
signed-rank test on the logarithms of the tasks that both solve, single tasks by their own intervals
with Holm's correction. A difference that is not shown is called that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.data.scoring.score_analysis import PairedComparison, TaskDifference
from assay.scores import estimates
from assay.scores.graded import Graded, GradedTask
from assay.scores.grouped import best

LEVEL = 0.05
Z = 1.959963984540054  # of a 95 % interval
_FEWEST_PAIRS = 2
_FEWEST_TO_SHOW = 6  # five pairs of one sign have p = 2 / 2^5 = 0.0625


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided: of the tasks that one alone solves, is the split that of a fair coin?

    p = min(1, 2 sum over i <= min(b, c) of C(b + c, i) / 2^(b + c)). McNemar, 1947.
    """
    from scipy.stats import binomtest

    n = only_first + only_second
    return float(binomtest(only_first, n).pvalue) if n else 1.0


def holm(values: Sequence[float]) -> list[float]:
    """Holm's step-down correction, 1979: the i-th smallest of m times m - i + 1, made monotone."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    found, largest = [0.0] * len(values), 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(values) - rank) * values[place]))
        found[place] = largest
    return found


def signed_rank(logs: Sequence[float]) -> float:
    """Wilcoxon's two-sided signed-rank test; 1 where every pair is equal."""
    if not any(logs):
        return 1.0
    from scipy.stats import wilcoxon

    return float(wilcoxon(logs).pvalue)


def compared(
    names: tuple[str, str],
    tasks: Sequence[GradedTask],
    first: Sequence[Graded],
    second: Sequence[Graded],
) -> PairedComparison:
    """The second against the first; a task that one did not try counts as failed for it."""
    sides = [_by_task(tasks, entries) for entries in (first, second)]
    bests = [{name: best(found) for name, found in side.items()} for side in sides]
    solved = [[bests[side][t.name] is not None for t in tasks] for side in (0, 1)]
    both = sum(a and b for a, b in zip(*solved, strict=True))
    only = [sum(one) - both for one in solved]
    ratios = _log_ratios(tasks, bests)
    enough = len(ratios) >= _FEWEST_PAIRS
    ratio = estimates.mean(ratios).mapped(math.exp) if ratios else estimates.NOTHING
    found = PairedComparison(
        first=names[0],
        second=names[1],
        tasks=len(tasks),
        both=both,
        only_first=only[0],
        only_second=only[1],
        neither=len(tasks) - both - sum(only),
        p_solved=mcnemar_exact(*only),
        timed=len(ratios),
        ratio=ratio.value,
        ratio_low=ratio.low,
        ratio_high=ratio.high,
        p_speedup=signed_rank(ratios) if enough else None,
        differences=_differences(sides, bests),
        sentence="",
    )
    return found.model_copy(update={"sentence": _sentence(found)})


def _by_task(tasks: Sequence[GradedTask], entries: Sequence[Graded]) -> dict[str, list[Graded]]:
    found: dict[str, list[Graded]] = {task.name: [] for task in tasks}
    for one in entries:
        if one.task in found:
            found[one.task].append(one)
    return found


def _log_ratios(
    tasks: Sequence[GradedTask], bests: Sequence[dict[str, Graded | None]]
) -> list[float]:
    found = []
    for task in tasks:
        a, b = bests[0][task.name], bests[1][task.name]
        if a and b and a.speedup and b.speedup:
            found.append(math.log(b.speedup / a.speedup))
    return found


def _differences(
    sides: Sequence[dict[str, list[Graded]]], bests: Sequence[dict[str, Graded | None]]
) -> tuple[TaskDifference, ...]:
    """Tasks that differ at the level after correction over every task tested."""
    tests: list[TaskDifference] = []
    for task in sides[0]:
        tests += filter(None, (_of_shares(task, sides), _of_speeds(task, bests)))
    corrected = holm([one.p for one in tests])
    kept = [
        one.model_copy(update={"p": p})
        for one, p in zip(tests, corrected, strict=True)
        if p < LEVEL
    ]
    return tuple(sorted(kept, key=lambda one: one.p))


def _of_shares(task: str, sides: Sequence[dict[str, list[Graded]]]) -> TaskDifference | None:
    """Fisher's exact test of accepted against failed; one candidate a side shows nothing."""
    a, b = sides[0][task], sides[1][task]
    if len(a) < 2 or len(b) < 2:
        return None
    from scipy.stats import fisher_exact

    won = [sum(one.accepted for one in side) for side in (a, b)]
    table = [[won[0], len(a) - won[0]], [won[1], len(b) - won[1]]]
    p = float(fisher_exact(table)[1])
    shares = won[0] / len(a), won[1] / len(b)
    return TaskDifference(task=task, what="accepted", first=shares[0], second=shares[1], p=p)


def _of_speeds(task: str, bests: Sequence[dict[str, Graded | None]]) -> TaskDifference | None:
    """A normal test of the log ratio, its errors taken from the two 95 % intervals."""
    a, b = bests[0][task], bests[1][task]
    if a is None or b is None or not a.speedup or not b.speedup:
        return None
    errors = [log_error(one) for one in (a, b)]
    if errors[0] is None or errors[1] is None:
        return None
    error = math.hypot(errors[0], errors[1])
    gap = abs(math.log(b.speedup / a.speedup))
    p = math.erfc(gap / error / math.sqrt(2)) if error > 0 else float(gap == 0)
    return TaskDifference(task=task, what="speedup", first=a.speedup, second=b.speedup, p=p)


def log_error(one: Graded) -> float | None:
    """The standard error of a log speedup, from its 95 % interval."""
    if not one.speedup_low or not one.speedup_high:
        return None
    return math.log(one.speedup_high / one.speedup_low) / (2 * Z)


def _sentence(found: PairedComparison) -> str:
    a, b = found.first, found.second
    words = f"Of {found.tasks} tasks both solve {found.both}, {a} alone {found.only_first}, "
    words += f"{b} alone {found.only_second}, neither {found.neither}: "
    if found.p_solved < LEVEL:
        words += f"{b if found.only_second > found.only_first else a} solves more"
    else:
        words += "no difference shown"
    words += f" (exact McNemar p = {found.p_solved:.3g}). "
    if found.ratio is None or found.p_speedup is None:
        return words + f"Speed cannot be compared: {found.timed} tasks are timed on both sides."
    interval = "" if found.ratio_low is None else f" [{found.ratio_low:.3g} {found.ratio_high:.3g}]"
    words += f"On the {found.timed} tasks that both solve {b} is {found.ratio:.3g}x as fast as {a}"
    words += f"{interval}: "
    if found.p_speedup < LEVEL:
        words += f"{b if found.ratio > 1 else a} is faster"
    elif found.timed < _FEWEST_TO_SHOW:
        words += f"fewer than {_FEWEST_TO_SHOW} tasks cannot show a difference"
    else:
        words += "no difference shown"
    return words + f" (Wilcoxon signed-rank p = {found.p_speedup:.3g})."
