"""Attribution: how much category, method and static difficulty explain of acceptance.

Source: the analysis of KernelBench-X (a binomial model, explained deviance), with a penalty against
separation. The rule: a share counts only against what shuffled labels explain: labels of category
and difficulty are shuffled among tasks, those of methods within each task.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.data.scoring.score_analysis import Attribution, Factor
from assay.python_tree import module_tree
from assay.scores.analysis import logistic
from assay.scores.estimates import SEED
from assay.scores.graded import Graded, GradedTask

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.scores.analysis.logistic import Floats

REPEATS = 200
CATEGORY, METHOD, DIFFICULTY = "category", "method", "difficulty"
PROXIES = ("assignments", "calls", "lines")
_FEWEST_TASKS = 5


@dataclass(frozen=True)
class Cells:
    """Successes of each method on each task, and the features of both."""

    task: NDArray[np.intp]  # index of the task of each cell
    blocks: dict[str, Floats]  # a column block for each factor
    successes: Floats
    trials: Floats
    names: dict[str, tuple[str, ...]]

    def explained(self, factors: Sequence[str]) -> float | None:
        """The share that these factors explain together."""
        import numpy as np

        if not factors:
            return 0.0
        features = np.hstack([self.blocks[name] for name in factors])
        return _coded(features).explained(self.successes, self.trials)


def difficulty(task: GradedTask) -> tuple[float, ...]:
    """Static proxies of a reference: log of 1 + assignments, calls and lines."""
    try:
        nodes = list(ast.walk(module_tree(task.source)))
    except (SyntaxError, ValueError):
        nodes = []
    assignments = sum(isinstance(n, ast.Assign | ast.AugAssign | ast.AnnAssign) for n in nodes)
    calls = sum(isinstance(node, ast.Call) for node in nodes)
    return math.log1p(assignments), math.log1p(calls), math.log1p(task.source.count("\n"))


def attribution(
    tasks: Sequence[GradedTask], entries: Iterable[Graded], repeats: int = REPEATS
) -> Attribution:
    """The model over every candidate given; one that is not accepted is a failure."""
    known = {task.name: task for task in tasks}
    given = [one for one in entries if one.task in known]
    accepted = sum(one.accepted for one in given)
    tried = len({one.task for one in given})
    common = Attribution(
        candidates=len(given), accepted=accepted, tasks=tried, penalty=logistic.PENALTY
    )
    if tried < _FEWEST_TASKS or not 0 < accepted < len(given):
        text = f"{accepted} of {len(given)} candidates of {tried} tasks are accepted: "
        text += f"a model needs {_FEWEST_TASKS} tasks, successes and failures"
        return common.model_copy(update={"reason": text})
    cells = _cells(known, given)
    names = [name for name in (CATEGORY, METHOD, DIFFICULTY) if cells.blocks[name].shape[1] > 0]
    joint = cells.explained(names)
    factors = tuple(_factor(cells, name, names, joint, repeats) for name in names)
    low, high = _interval(cells, names, joint, repeats)
    changes = {"factors": factors, "joint": joint, "joint_low": low, "joint_high": high}
    return common.model_copy(update=changes)


def _cells(tasks: dict[str, GradedTask], entries: Sequence[Graded]) -> Cells:
    """One cell for each task and method; a block of one level has no column."""
    import numpy as np

    counts: dict[tuple[str, str], list[int]] = {}
    for one in entries:
        cell = counts.setdefault((one.task, one.generator or one.run), [0, 0])
        cell[0] += one.accepted
        cell[1] += 1
    used = sorted({task for task, _ in counts})
    categories = sorted({tasks[name].category for name in used})
    methods = sorted({method for _, method in counts})
    hard = np.array([difficulty(tasks[name]) for name in used])
    spread = hard.std(axis=0)
    hard = ((hard - hard.mean(axis=0)) / np.where(spread > 0, spread, 1.0))[:, spread > 0]
    place = {name: number for number, name in enumerate(used)}
    return Cells(
        task=np.array([place[task] for task, _ in counts]),
        blocks={
            CATEGORY: _dummies([tasks[task].category for task, _ in counts], categories),
            METHOD: _dummies([method for _, method in counts], methods),
            DIFFICULTY: np.array([hard[place[task]] for task, _ in counts]),
        },
        successes=np.array([cell[0] for cell in counts.values()], float),
        trials=np.array([cell[1] for cell in counts.values()], float),
        names={
            CATEGORY: tuple(categories),
            METHOD: tuple(methods),
            DIFFICULTY: tuple(n for n, s in zip(PROXIES, spread, strict=True) if s > 0),
        },
    )


def _factor(
    cells: Cells, name: str, names: Sequence[str], joint: float | None, repeats: int
) -> Factor:
    alone = cells.explained([name])
    rest = cells.explained([other for other in names if other != name])
    low, high = _interval(cells, [name], alone, repeats)
    chance = _shuffled(cells, name, repeats)
    found = logistic.fit(cells.blocks[name], cells.successes, cells.trials)
    effects = zip(cells.names[name], found.coefficients[1:], strict=True)
    as_much = sum(one >= (alone or 0.0) - 1e-12 for one in chance)
    return Factor(
        name=name,
        levels=len(cells.names[name]),
        alone=alone,
        low=low,
        high=high,
        added=None if joint is None or rest is None else joint - rest,
        by_chance=sum(chance) / len(chance) if chance else None,
        p=(1 + as_much) / (1 + len(chance)) if chance else None,
        effects={level: float(value) for level, value in effects},
    )


def _shuffled(cells: Cells, name: str, repeats: int) -> list[float]:
    """What the factor explains after its labels were shuffled."""
    import numpy as np

    draw = np.random.default_rng(SEED)
    coded, task = _coded(cells.blocks[name]), cells.task
    by_task = [np.flatnonzero(task == number) for number in range(task.max() + 1)]
    first = np.array([places[0] for places in by_task])
    found = []
    for _ in range(repeats):
        if name == METHOD:
            order = np.empty(len(task), int)
            for places in by_task:
                order[places] = draw.permutation(places)
        else:
            order = first[draw.permutation(len(first))][task]
        value = coded.explained(cells.successes, cells.trials, order)
        found += [] if value is None else [value]
    return found


def _interval(
    cells: Cells, names: Sequence[str], value: float | None, repeats: int
) -> tuple[float | None, float | None]:
    """The basic bootstrap interval over tasks, within [0, 1].

    Resampled data explain more of themselves; the basic interval, 2 x value - percentile, takes
    that bias off again.
    """
    import numpy as np

    if value is None:
        return None, None
    draw = np.random.default_rng(SEED)
    coded = _coded(np.hstack([cells.blocks[name] for name in names]))
    tasks = int(cells.task.max()) + 1
    found = []
    for _ in range(repeats):
        weight = np.bincount(draw.integers(0, tasks, tasks), minlength=tasks)[cells.task]
        one = coded.explained(cells.successes * weight, cells.trials * weight)
        found += [] if one is None else [one]
    if 2 * len(found) < repeats:
        return None, None
    low, high = np.percentile(found, [2.5, 97.5])
    return max(0.0, 2 * value - float(high)), min(1.0, max(0.0, 2 * value - float(low)))


@dataclass(frozen=True)
class CodedRows:
    """The distinct rows of a matrix, and which of them each row is."""

    rows: Floats
    code: NDArray[np.intp]

    def explained(
        self, successes: Floats, trials: Floats, order: NDArray[np.intp] | None = None
    ) -> float | None:
        """`logistic.explained` after equal rows were added up; `order` shuffles the rows first."""
        import numpy as np

        code = self.code if order is None else self.code[order]
        wins, tries = np.zeros(len(self.rows)), np.zeros(len(self.rows))
        np.add.at(wins, code, successes)
        np.add.at(tries, code, trials)
        return logistic.explained(self.rows, wins, tries)


def _coded(features: Floats) -> CodedRows:
    import numpy as np

    rows, code = np.unique(features, axis=0, return_inverse=True)
    return CodedRows(rows, code.reshape(-1))


def _dummies(values: Sequence[str], levels: Sequence[str]) -> Floats:
    import numpy as np

    if len(levels) < 2:
        return np.zeros((len(values), 0))
    return np.array([[float(value == level) for level in levels] for value in values])
