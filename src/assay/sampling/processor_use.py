"""ProcessorUse: the share of a processor that each thread has used since the last look at it.

The rule: a sample counts with that share as its chance, beside the busiest thread of the moment, so
that samples stand for processor time. A thread that is always ready and gets no processor, by its
priority, is no sample; on a busy machine, where all threads get little, all of them count.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

_FIRST_NS = 1_250_000  # taken for the time before the first look: one gap of 800 a second
_SCHEDULED_CLOCK = 2  # of the clocks of a process, the one that counts nanoseconds
_MOMENT_NS = 250_000_000  # some time slices of a busy machine


def processor_ns(pid: int) -> int:
    """Processor time of all threads of one process, those that have ended too; 0 once it is gone.

    The kernel has a clock for every process, whose number is made of the process's.
    """
    with contextlib.suppress(OSError):
        return time.clock_gettime_ns((~pid << 3) | _SCHEDULED_CLOCK)
    return 0


def processors_ns(pids: Iterable[int]) -> int:
    """Processor time of processes and of the children that they have waited for."""
    return sum(processor_ns(pid) + _children_ns(pid) for pid in pids)


def _children_ns(pid: int) -> int:
    with contextlib.suppress(OSError, IndexError, ValueError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        ticks = int(fields[13]) + int(fields[14])
        return ticks * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    return 0


class ProcessorUse:
    """Of all threads that were looked at."""

    def __init__(self) -> None:
        self._looks: dict[int, tuple[int, int]] = {}  # when, and how long it had run
        self._shares: dict[int, float] = {}
        self._seen_ns: dict[int, int] = {}

    def note(self, tid: int, ran_ns: int | None, now_ns: int) -> None:
        """A thread is looked at that has run for so long; None where the kernel does not say."""
        self._seen_ns[tid] = now_ns
        if ran_ns is None:
            self._shares[tid] = 1.0
            return
        when_ns, before_ns = self._looks.get(tid, (now_ns - _FIRST_NS, 0))
        self._looks[tid] = (now_ns, ran_ns)
        self._shares[tid] = min(1.0, (ran_ns - before_ns) / max(1, now_ns - when_ns))

    def share(self, tid: int) -> float:
        """At the last look."""
        return self._shares.get(tid, 1.0)

    def weight(self, tid: int) -> float:
        """Its share beside that of the busiest thread that was looked at not long before."""
        busiest = self.busiest(tid)
        return self.share(tid) / busiest if busiest else 1.0

    def busiest(self, tid: int) -> float:
        """The largest share of a thread that was looked at not long before this one.

        A sample taken with the chance `weight` stands for so much of a processor.
        """
        now_ns = self._seen_ns.get(tid, 0)
        recent = (one for one, at in self._seen_ns.items() if now_ns - at <= _MOMENT_NS)
        return max((self.share(one) for one in recent), default=0.0)
