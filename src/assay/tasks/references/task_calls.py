"""TaskCalls: which call into a task's own code is going on, and since when, in shared memory.

The rule: writing takes no lock and no system call beyond the clock, and reading needs nothing of
the writer: another process sees a call that hangs while it holds the interpreter's lock. Forked
copies of the writer say nothing; what they compute, the writer computes or waits for itself.
"""

from __future__ import annotations

import contextlib
import itertools
import mmap
import os
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

_SLOTS = 64  # threads at a time; one more is not watched
_SLOT_BYTES = 256
_HEAD = struct.Struct("=QdH")  # 0 or the number of the call, its begin, the length of its text


@dataclass(frozen=True)
class TaskCall:
    """A call that has not come back."""

    number: int  # tells calls apart
    what: str  # "get_inputs", "the reference"
    seconds: float


class TaskCalls:
    """A table with a row a thread, in memory that two processes map."""

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, _SLOTS * _SLOT_BYTES)

    @staticmethod
    def create() -> int:
        """A descriptor of an empty table."""
        descriptor = os.memfd_create("task-calls")
        os.ftruncate(descriptor, _SLOTS * _SLOT_BYTES)
        return descriptor

    def begin(self, slot: int, number: int, what: str) -> None:
        """Note a call; the number comes last, so that a reader never sees half a note."""
        text = what.encode("utf-8", "replace")[: _SLOT_BYTES - _HEAD.size]
        place = slot * _SLOT_BYTES
        self._memory[place + _HEAD.size : place + _HEAD.size + len(text)] = text
        _HEAD.pack_into(self._memory, place, 0, time.monotonic(), len(text))
        struct.pack_into("=Q", self._memory, place, number)

    def end(self, slot: int) -> None:
        """It came back."""
        struct.pack_into("=Q", self._memory, slot * _SLOT_BYTES, 0)

    def longest(self) -> TaskCall | None:
        """The call that has been going on for the longest time."""
        going = [call for slot in range(_SLOTS) if (call := self._read(slot)) is not None]
        return max(going, key=lambda call: call.seconds, default=None)

    def _read(self, slot: int) -> TaskCall | None:
        place = slot * _SLOT_BYTES
        number, began_s, length = _HEAD.unpack_from(self._memory, place)
        text = self._memory[place + _HEAD.size : place + _HEAD.size + length]
        if number == 0 or _HEAD.unpack_from(self._memory, place)[:2] != (number, began_s):
            return None
        return TaskCall(number, text.decode("utf-8", "replace"), time.monotonic() - began_s)


class _Announcer:
    """The writer's side: who is in which slot, and how deep."""

    def __init__(self, calls: TaskCalls) -> None:
        self._calls = calls
        self._numbers = itertools.count(1)
        self._free = list(reversed(range(_SLOTS)))
        self._mine = threading.local()

    @contextlib.contextmanager
    def call(self, what: str) -> Iterator[None]:
        """The outermost call of a thread is announced; what it calls in turn belongs to it."""
        if getattr(self._mine, "inside", False) or not self._free:
            yield
            return
        slot, self._mine.inside = self._free.pop(), True
        self._calls.begin(slot, next(self._numbers), what)
        try:
            yield
        finally:
            self._calls.end(slot)
            self._mine.inside = False
            self._free.append(slot)


_announcer: _Announcer | None = None


def announce_in(descriptor: int) -> None:
    """From now on every call of this process is noted in that table."""
    global _announcer
    _announcer = _Announcer(TaskCalls(descriptor))


def _say_nothing() -> None:
    global _announcer
    _announcer = None


os.register_at_fork(after_in_child=_say_nothing)


def announced(what: str) -> contextlib.AbstractContextManager[None]:
    """Around a call into a task's own code; without a table nothing happens."""
    return contextlib.nullcontext() if _announcer is None else _announcer.call(what)
