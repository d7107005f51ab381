"""RunnerMemory: where the runner's functions lie in the memory of every forked process.

The rule: the warm parent says it before a candidate exists, and a fork keeps its addresses, so the
host can compare a candidate's process with it from outside, by reading alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

KEYS_OFFSET = 32  # of its table in a dictionary: CPython 3.11 to 3.13, 64 bits


@dataclass(frozen=True)
class WatchedName:
    """One entry of a namespace: key and value by their addresses."""

    label: str
    key: int
    value: int


@dataclass(frozen=True)
class WatchedNamespace:
    """The dictionary of one module or class; `keys_bytes` is the size of its table."""

    address: int
    keys_bytes: int
    names: tuple[WatchedName, ...]


@dataclass(frozen=True)
class WatchedWord:
    """One word of a function object: what it executes."""

    label: str
    address: int
    value: int


@dataclass(frozen=True)
class RunnerMemory:
    """All of it; empty where this interpreter lays its objects out in another way."""

    namespaces: tuple[WatchedNamespace, ...] = ()
    words: tuple[WatchedWord, ...] = ()


def followers(words: Sequence[int]) -> dict[int, int]:
    """What stands behind each word where it is first found.

    Only there: memory behind a table may hold an older copy of it, with values that were replaced.
    """
    return dict(reversed(list(itertools.pairwise(words))))
