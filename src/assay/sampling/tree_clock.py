"""TreeClock: processor time of some processes and of all that they make, whoever waits for these.

The rule: the kernel counts, and threads and processes that are made are counted with those that
made them, also when they are gone. The clock of a process knows only of children that it waited
for, in steps of 10 ms.
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Callable, Iterable, Iterator

from assay.sampling.looks.clock_events import SamplesRefused, counting, opened
from assay.sampling.processor_use import processors_ns

_ANY_PROCESSOR = -1


@contextlib.contextmanager
def tree_clock(pids: Callable[[], Iterable[int]]) -> Iterator[Callable[[], int]]:
    """What tells the time in ns; from the clocks of the processes where the kernel does not count.

    The processes must stand still meanwhile: what they make before they are counted is missed.
    """
    with contextlib.ExitStack() as events:
        try:
            counters = [_counter(tid, events) for pid in pids() for tid in _threads(pid)]
        except SamplesRefused:
            counters = []
        known = [one for one in counters if one is not None]
        yield (lambda: sum(map(_read, known))) if known else (lambda: processors_ns(pids()))


def _counter(tid: int, events: contextlib.ExitStack) -> int | None:
    with contextlib.suppress(ProcessLookupError):
        event = opened(tid, _ANY_PROCESSOR, counting())
        events.callback(os.close, event)
        return event
    return None


def _threads(pid: int) -> list[int]:
    with contextlib.suppress(OSError):  # the process is gone
        return [int(tid) for tid in os.listdir(f"/proc/{pid}/task")]
    return []


def _read(event: int) -> int:
    found: int = struct.unpack("<Q", os.read(event, 8))[0]
    return found
