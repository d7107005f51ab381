"""Task groups: near-identical tasks, so that a held-out set shares none with the training set.

The rule: tasks are held out whole, and near-identical ones together. Two tasks are near-identical
where one of these holds:

* their references share at least 90 % of their runs of five tokens (Jaccard's index), without
  comments and docstrings, and with all numbers and all names that follow no dot made equal;
* their names are the same after their folder, `.py`, `.backward` and endings that name a dtype;
* a candidate of one is a candidate of the other.

The relation is closed transitively. It errs towards joining: files that are mostly the same frame
around one call are joined too. A group is held out where SHA-256 of the seed and the smallest
hash of its tasks, read as a number in [0, 1), is below the share asked for. So the same runs give
the same split, and the share is met on average over groups, not exactly.
"""

from __future__ import annotations

import hashlib
import keyword
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from assay.data.record import content_id
from assay.scores.graded import Graded, GradedTask

ALIKE = 0.9
_RUN = 5  # tokens
_COMMENT = re.compile(r"\"\"\".*?\"\"\"|'''.*?'''|#[^\n]*", re.DOTALL)
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\S")
_DTYPE = re.compile(r"_(?:fp|bf|f|int|uint|float|bfloat)\d+\w*$")
_WHOLE = 2**256


def task_groups(tasks: Sequence[GradedTask], entries: Iterable[Graded]) -> dict[str, str]:
    """The group of every task, by its name."""
    links = _Links(task.name for task in tasks)
    for pair in _alike(tasks):
        links.join(*pair)
    for names in (*_by_name(tasks), *_by_candidate(entries)):
        for name in names[1:]:
            links.join(names[0], name)
    hashes = {task.name: content_id(task.name, task.source) for task in tasks}
    members = defaultdict(list)
    for name in hashes:
        members[links.head(name)].append(name)
    groups = {head: min(hashes[name] for name in names) for head, names in members.items()}
    return {name: groups[links.head(name)] for name in hashes}


def is_held_out(group: str, share: float, seed: int) -> bool:
    """Whether a group of tasks is in the held-out set."""
    drawn = hashlib.sha256(f"{seed}/{group}".encode()).digest()
    return int.from_bytes(drawn, "big") / _WHOLE < share


def plain_name(name: str) -> str:
    """A task's name without folder, ending, direction and dtype."""
    stem = name.rpartition("/")[2].rpartition("#")[2]
    stem = stem.removesuffix(".py").removesuffix(".backward").lower()
    while (shorter := _DTYPE.sub("", stem)) != stem:
        stem = shorter
    return stem


def token_runs(source: str) -> frozenset[tuple[str, ...]]:
    """The runs of tokens of a source; numbers are all equal, and so are names without a dot."""
    found = _TOKEN.findall(_COMMENT.sub(" ", source))
    tokens = [_plain(before, token) for before, token in zip(["", *found], found, strict=False)]
    return frozenset(
        tuple(tokens[i : i + _RUN]) for i in range(max(len(tokens) - _RUN + 1, bool(tokens)))
    )


def _plain(before: str, token: str) -> str:
    if token[0].isdigit():
        return "0"
    named = token.isidentifier() and before != "." and not keyword.iskeyword(token)
    return "name" if named else token


class _Links:
    """Which names are joined, directly or through others."""

    def __init__(self, names: Iterable[str]) -> None:
        self._over = {name: name for name in names}

    def head(self, name: str) -> str:
        while self._over[name] != name:
            self._over[name] = self._over[self._over[name]]
            name = self._over[name]
        return name

    def join(self, first: str, second: str) -> None:
        self._over[self.head(second)] = self.head(first)


def _alike(tasks: Sequence[GradedTask]) -> Iterator[tuple[str, str]]:
    """Pairs that reach the index, without comparing all with all.

    Sets that share a share s of their union have a member in common among the first
    n - ceil(s n) + 1 of each, in any common order: the rarest first.
    """
    runs = {task.name: token_runs(task.source) for task in tasks}
    counts = Counter(run for found in runs.values() for run in found)
    indexed: Mapping[tuple[str, ...], list[str]] = defaultdict(list)
    for name, found in runs.items():
        order = sorted(found, key=lambda run: (counts[run], run))
        first = order[: len(order) - math.ceil(ALIKE * len(order)) + 1] if order else []
        for other in {other for run in first for other in indexed[run]}:
            if len(found & runs[other]) >= ALIKE * len(found | runs[other]):
                yield other, name
        for run in first:
            indexed[run].append(name)


def _by_name(tasks: Iterable[GradedTask]) -> Iterator[list[str]]:
    found = defaultdict(list)
    for task in tasks:
        found[plain_name(task.name)].append(task.name)
    yield from found.values()


def _by_candidate(entries: Iterable[Graded]) -> Iterator[list[str]]:
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for one in entries:
        for name in (one.candidate_id, *one.provenance.parents):
            found[name][one.task] = None
    yield from (list(names) for names in found.values())
