"""Category failures: where the tasks of a category fail, and with which evidence.

The rule: a task is unsolved where no candidate of any generator is accepted, tried or not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from assay.data.scoring.score_analysis import CategoryFailures
from assay.scores.graded import OPEN, Graded, GradedTask


def category_failures(
    tasks: Sequence[GradedTask], entries: Iterable[Graded]
) -> tuple[CategoryFailures, ...]:
    """One row a category, the least successful first."""
    category = {task.name: task.category for task in tasks}
    members: dict[str, list[Graded]] = {name: [] for name in category.values()}
    solved: dict[str, set[str]] = defaultdict(set)
    for one in entries:
        if one.task in category:
            members[category[one.task]].append(one)
            if one.accepted:
                solved[category[one.task]].add(one.task)
    sizes = Counter(category.values())
    rows = [_row(name, sizes[name], len(solved[name]), found) for name, found in members.items()]
    return tuple(sorted(rows, key=lambda row: (1 - row.unsolved / row.tasks, row.category)))


def _row(name: str, tasks: int, solved: int, members: Sequence[Graded]) -> CategoryFailures:
    statuses = Counter(one.status.value if one.status else OPEN for one in members)
    failed = [one for one in members if not one.accepted]
    evidence = Counter(kind for one in failed for kind in one.evidence)
    return CategoryFailures(
        category=name,
        tasks=tasks,
        unsolved=tasks - solved,
        candidates=len(members),
        accepted=sum(one.accepted for one in members),
        statuses=dict(statuses.most_common()),
        evidence=dict(evidence.most_common()),
    )
