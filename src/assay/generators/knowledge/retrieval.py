"""AttemptIndex: past attempts that are like a task, a kernel or a failure.

    score = (BM25 over the best BM25 + share of features in common) / 2

The rule: deterministic, and from the attempts alone. What was not accepted is never found, and a
candidate is found once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from assay.data.generation.attempt import Attempt
from assay.data.generation.search_event import Move
from assay.data.generation.search_state import SearchState, TaskState
from assay.generators.knowledge.attempt_features import (
    attempt_features,
    error_features,
    error_signature,
    likeness,
    source_features,
    task_features,
)
from assay.generators.knowledge.bm25 import Bm25, words_of

VERSIONS = 3  # of each task, the newest


@dataclass(frozen=True)
class FoundAttempt:
    """A past attempt, and how like it is."""

    attempt: Attempt
    score: float  # from nought to one


class AttemptIndex:
    """Accepted attempts, ready to be searched."""

    def __init__(self, items: Iterable[Attempt], tasks: Iterable[TaskState]) -> None:
        self._tasks = {one.task: one for one in tasks}
        unique = {one.candidate: one for one in items if one.accepted and one.task in self._tasks}
        self._items = tuple(unique.values())
        texts = [f"{_about(self._tasks[one.task])} {one.source}" for one in self._items]
        self._words = Bm25([words_of(text) for text in texts])
        self._features = [attempt_features(one, self._tasks[one.task]) for one in self._items]

    @classmethod
    def of_state(cls, state: SearchState) -> Self:
        """Over the newest accepted attempts of every task, and what was repaired."""
        items: list[Attempt] = []
        for task in state.tasks:
            repaired = [one for one in task.accepted if one.move is Move.REPAIR]
            fastest = sorted(task.accepted, key=lambda one: one.speedup_low or 0.0)
            items += [*repaired[-VERSIONS:], *fastest[-VERSIONS:]]
        return cls(items, state.tasks)

    def similar(
        self, task: TaskState, parent: Attempt | None = None, count: int = 3
    ) -> tuple[FoundAttempt, ...]:
        """The attempts most like a task, and like the parent where there is one."""
        if not self._items or count <= 0:
            return ()
        text, wanted = _about(task), task_features(task)
        if parent is not None:
            failure = error_signature(parent.feedback or parent.reason)
            text = f"{text} {parent.source} {failure}"
            wanted |= source_features(parent.source) | error_features(parent)
        words = self._words.scores(words_of(text))
        top = max(words) or 1.0
        found = [
            FoundAttempt(one, (score / top + likeness(wanted, features)) / 2)
            for one, score, features in zip(self._items, words, self._features, strict=True)
            if parent is None or one.candidate != parent.candidate
        ]
        ranked = sorted(found, key=lambda one: (-one.score, one.attempt.number))
        return tuple(one for one in ranked if one.score > 0)[:count]


def _about(task: TaskState) -> str:
    return " ".join((task.task, task.title, *task.tags))
