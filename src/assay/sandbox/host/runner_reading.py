"""Runner reading: whether the runner in a candidate's process is the one that was forked.

The rule: read from outside, from the process's memory, so that whoever rewrites the runner cannot
also rewrite what is said of it. What cannot be read is no evidence.
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Iterator
from pathlib import Path

from assay.sandbox.protocol.runner_memory import (
    KEYS_OFFSET,
    RunnerMemory,
    WatchedNamespace,
    WatchedWord,
    followers,
)

_GROWN = 4  # times its size: a namespace that got new names may have moved
_FROM_OUTSIDE = "replaced, read from outside"


def changed_runner(init_pid: int, memory: RunnerMemory) -> list[str]:
    """Lines `name<TAB>detail` of what is not as it was in the first process of a tree."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        pid = _first_child(init_pid)
        descriptor = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return list(dict.fromkeys(_changes(descriptor, memory)))
        finally:
            os.close(descriptor)
    return []


def _first_child(pid: int) -> int:
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def _changes(descriptor: int, memory: RunnerMemory) -> Iterator[str]:
    for namespace in memory.namespaces:
        yield from _changed_names(descriptor, namespace)
    for word in memory.words:
        if _is_other(descriptor, word):
            yield f"{word.label}\t{_FROM_OUTSIDE}"


def _is_other(descriptor: int, word: WatchedWord) -> bool:
    found = _read(descriptor, word.address, 8)
    return bool(found) and found[0] != word.value


def _changed_names(descriptor: int, namespace: WatchedNamespace) -> Iterator[str]:
    """A name whose key is there and is followed by another value."""
    table = _read(descriptor, namespace.address + KEYS_OFFSET, 8)
    size = namespace.keys_bytes
    found = followers(_read(descriptor, table[0], size) if table else ())
    if table and any(name.key not in found for name in namespace.names):
        found = followers(_table(descriptor, table[0], size))
    for name in namespace.names:
        if found.get(name.key, name.value) != name.value:
            yield f"{name.label}\t{_FROM_OUTSIDE}"


def _table(descriptor: int, address: int, size: int) -> tuple[int, ...]:
    return _read(descriptor, address, _GROWN * size) or _read(descriptor, address, size)


def _read(descriptor: int, address: int, size: int) -> tuple[int, ...]:
    """Whole words, as many as can be read."""
    with contextlib.suppress(OSError, OverflowError):
        data = os.pread(descriptor, size, address)
        return struct.unpack(f"{len(data) // 8}Q", data[: len(data) & ~7])
    return ()
