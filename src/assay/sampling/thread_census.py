"""ThreadCensus: how much was computed by threads that ended before anybody could look at them.

The rule: the kernel's clock of a process counts threads that are gone, too. What the living ones
have not used was theirs, and they should have been met as often for it as the living were. A
thread needs some 0.1 ms to be found and stopped; who computes in shorter ones is missed.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from assay.sampling.processor_use import processor_ns

_ENOUGH = 15  # looks at living threads that say how often one is met
_SELDOM = 0.5  # of the nominal rate, where there are fewer


@dataclass
class ThreadCensus:
    """The threads of all processes that are sampled."""

    rate_hz: float
    _began: dict[int, tuple[int, dict[int, int]]] = field(default_factory=dict)
    _looks: Counter[int] = field(default_factory=Counter)

    def begin(self, pid: int) -> None:
        """A process is looked at from now on."""
        self._began[pid] = processor_ns(pid), _ran_ns(pid)

    def note(self, tid: int) -> None:
        """A thread was looked at."""
        self._looks[tid] += 1

    def unseen(self, pids: Iterable[int]) -> int:
        """Looks that are missing at threads that are gone, of the processes that are left."""
        living_ns = gone_ns = 0
        living: set[int] = set()
        for pid in set(pids) & set(self._began):
            before_ns, before = self._began[pid]
            now, total_ns = _ran_ns(pid), processor_ns(pid) - before_ns
            lived_ns = sum(ran - before.get(tid, 0) for tid, ran in now.items())
            living_ns += lived_ns
            gone_ns += max(0, total_ns - lived_ns)
            living |= set(now)
        looks = sum(self._looks[tid] for tid in living)
        met = sum(self._looks.values()) - looks
        nominal = _SELDOM * self.rate_hz / 1e9
        rate = looks / living_ns if looks >= _ENOUGH and living_ns else nominal
        return max(0, round(rate * gone_ns - met))


def _ran_ns(pid: int) -> dict[int, int]:
    """Of every living thread."""
    found: dict[int, int] = {}
    with contextlib.suppress(OSError):  # the process is gone
        for tid in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                text = Path(f"/proc/{pid}/task/{tid}/schedstat").read_text()
                found[int(tid)] = int(text.split()[0])
    return found
