"""The sample of the corpus that `make test` judges: every family, other cases with every commit.

A task's first case pays for its exam (some seconds), so few tasks give several cases each.

The rule: the sample is a function of the seed and the cases alone, so that a failure can be
repeated. The seed is the commit, or a digest of the tree where there is no git.
"""

from __future__ import annotations

import hashlib
import random
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from corpus_case import CorpusCase, SharedExam

ROOT = Path(__file__).parents[1]
TASKS = 6  # at least; an exam takes 2 to 10 s
IN_LINE = 12  # tasks that are looked at for one that brings many families
CASES_A_TASK = 1  # at most, beside those of missing families; a case takes 1 to 6 s


class Family(NamedTuple):
    """What a sample must hold a case of."""

    label: str
    family: str

    @classmethod
    def of(cls, case: CorpusCase) -> Family:
        """The family of a case, under its label: honest, wrong or cheat."""
        return cls(case.label, case.family)


def sample(found: Iterable[CorpusCase], seed: str) -> list[CorpusCase]:
    """Cases of every family, of few tasks; the slow ones are left to `make corpus`."""
    chance = random.Random(seed)
    tasks = [drawn(members, chance) for members in by_task(c for c in found if not c.slow)]
    chance.shuffle(tasks)
    missing = {Family.of(case) for members in tasks for case in members}
    chosen: list[list[CorpusCase]] = []
    while missing:  # of the first in line that bring a family, the one that brings the most
        useful = [one for one in tasks if missing & set(map(Family.of, one))][:IN_LINE]
        members = max(useful, key=lambda one: len(missing & set(map(Family.of, one))))
        tasks.remove(members)
        chosen.append(take(members, missing))
        missing -= set(map(Family.of, chosen[-1]))
    chosen += [members[:CASES_A_TASK] for members in tasks[: max(0, TASKS - len(chosen))]]
    return [case for members in chosen for case in members]


def by_task(found: Iterable[CorpusCase]) -> list[list[CorpusCase]]:
    """Cases that share one exam, in the order of the corpus."""
    groups: dict[SharedExam, list[CorpusCase]] = defaultdict(list)
    for case in found:
        groups[case.exam].append(case)
    return list(groups.values())


def drawn(members: Sequence[CorpusCase], chance: random.Random) -> list[CorpusCase]:
    """The cases of one task in an order of chance."""
    return chance.sample(members, len(members))


def take(members: list[CorpusCase], missing: set[Family]) -> list[CorpusCase]:
    """A few cases of one task: one of each missing family first, then others in line."""
    first = {family: case for case in reversed(members) if (family := Family.of(case)) in missing}
    needed = list(first.values())
    rest = [case for case in members if case not in needed]
    return needed + rest[: max(0, CASES_A_TASK - len(needed))]


def commit_seed(root: Path = ROOT) -> str:
    """The commit that is checked out; without git, a digest of what the tests look at."""
    asked = ["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"]
    try:
        answer = subprocess.run(asked, capture_output=True, text=True, timeout=120, check=True)
    except (OSError, subprocess.SubprocessError):
        return tree_digest(root)
    return answer.stdout.strip()


def tree_digest(root: Path) -> str:
    """Of every Python file below `src` and `tests`, with its name."""
    digest = hashlib.sha256()
    for folder in ("src", "tests"):
        for file in sorted((root / folder).rglob("*.py")):
            digest.update(str(file.relative_to(root)).encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def corpus_case(item: pytest.Item) -> CorpusCase | None:
    """The case that a test judges, if it judges one."""
    if item.get_closest_marker("corpus") is None:
        return None
    case = item.callspec.params["case"]  # type: ignore[attr-defined]
    assert isinstance(case, CorpusCase)
    return case
