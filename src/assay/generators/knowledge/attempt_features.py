"""AttemptFeatures: what a task or an attempt is about, as a set of short words with a kind.

    tag:KIND:VALUE   a tag of the task
    op:NAME          an operator called in the source
    dtype:NAME       a dtype named in the source or the title
    size:N           the order of magnitude of a size written in the source, in doublings
    error:TEXT       the first error, with everything left out that changes from run to run

The rule: sources are read as text, never imported or run.
"""

from __future__ import annotations

import re
from functools import lru_cache

from assay.data.generation.attempt import Attempt
from assay.data.generation.search_state import TaskState

_OPERATOR = re.compile(r"\b(?:torch|F|tl|nn|functional|std|math|at)(?:\.|::)(\w+)")
_DTYPE = re.compile(r"\b(b?float(?:16|32|64)|int(?:8|32|64)|fp(?:8|16|32|64)|bf16|tf32|half)\b")
_SIZE = re.compile(r"\b\d{2,7}\b")
_ERROR = re.compile(r"\b\w*(?:Error|Exception|Fault|error)\b[^\n]*")
_VARIES = (
    (re.compile(r"0x[0-9a-fA-F]+"), "ADDRESS"),
    (re.compile(r"(?:/[\w.-]+)+/?"), "PATH"),
    (re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"), "N"),
    (re.compile(r"\s+"), " "),
)
SIGNATURE_LENGTH = 120


def task_features(task: TaskState) -> frozenset[str]:
    """Of the task alone."""
    text = f"{task.task} {task.title}"
    return frozenset({f"tag:{one}" for one in task.tags} | _dtypes(text))


@lru_cache(maxsize=1024)
def source_features(source: str) -> frozenset[str]:
    """Of a source."""
    operators = {f"op:{one}" for one in _OPERATOR.findall(source)}
    sizes = {f"size:{int(one).bit_length() - 1}" for one in _SIZE.findall(source)}
    return frozenset(operators | sizes | _dtypes(source))


def error_features(one: Attempt) -> frozenset[str]:
    """Of how an attempt failed; none where it did not."""
    if one.accepted or not one.status:
        return frozenset()
    found = {f"status:{one.status}"}
    if signature := error_signature(one.feedback or one.reason):
        found.add(f"error:{signature}")
    return frozenset(found)


def attempt_features(one: Attempt, task: TaskState) -> frozenset[str]:
    """Of an attempt and its task."""
    return task_features(task) | source_features(one.source) | error_features(one)


def error_signature(text: str) -> str:
    """The first error of a text without numbers, addresses and paths."""
    found = _ERROR.search(text)
    line = found.group() if found else next(iter(text.strip().splitlines()), "")
    for pattern, word in _VARIES:
        line = pattern.sub(word, line)
    return line.strip()[:SIGNATURE_LENGTH]


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of features in common (Jaccard)."""
    return len(one & other) / len(one | other) if one or other else 0.0


def _dtypes(text: str) -> set[str]:
    return {f"dtype:{one}" for one in _DTYPE.findall(text)}
