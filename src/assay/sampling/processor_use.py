"""ProcessorUse: the share of a processor that each thread has used since the last look at it.

The rule: a sample counts with that share as its chance, so that samples stand for processor time. A
thread that is always ready and gets no processor, by its priority or because others are busy, is
no sample.
"""

from __future__ import annotations

_FIRST_NS = 1_250_000  # taken for the time before the first look: one gap of 800 a second


class ProcessorUse:
    """Of all threads that were looked at."""

    def __init__(self) -> None:
        self._looks: dict[int, tuple[int, int]] = {}  # when, and how long it had run
        self._shares: dict[int, float] = {}

    def note(self, tid: int, ran_ns: int | None, now_ns: int) -> None:
        """A thread is looked at that has run for so long; None where the kernel does not say."""
        if ran_ns is None:
            self._shares[tid] = 1.0
            return
        when_ns, before_ns = self._looks.get(tid, (now_ns - _FIRST_NS, 0))
        self._looks[tid] = (now_ns, ran_ns)
        self._shares[tid] = min(1.0, (ran_ns - before_ns) / max(1, now_ns - when_ns))

    def share(self, tid: int) -> float:
        """At the last look."""
        return self._shares.get(tid, 1.0)
