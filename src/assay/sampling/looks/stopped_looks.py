"""StoppedLooks: threads that want a processor, stopped one after the other and looked at.

The rule: the moments are random, so that no rhythm of the candidate's can hide from them, and a
thread counts by the processor time it used. A tree that is being frozen is not looked at, and
nothing is left stopped. All calls come from one thread.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Iterable
from functools import partial

from assay.sampling.looks.moment import CountedLook, Moment
from assay.sampling.looks.stopped_thread import AttachRefused, NotStopped, ThreadStopper
from assay.sampling.processor_use import ProcessorUse
from assay.sampling.sampled_process import Look, SampledProcess

_THREADS_A_ROUND = 4  # stopped one after the other; of more, some are drawn
_SHORTEST, _LONGEST = 0.4, 1.6  # gaps between moments, in those of the rate
_STILL_S = 0.02  # between looks whether a tree that stands still is to be left
_SETTLE_S = 0.5  # for threads that are still to be let go


class StoppedLooks:
    """Looks at the threads of some processes."""

    clocked = False

    def __init__(self, rate_hz: float, turn: threading.Lock, thawed: threading.Event) -> None:
        self.refused = 0
        self._gap_s = 1.0 / rate_hz
        self._turn = turn
        self._thawed = thawed  # while it is not set no thread of the tree can run
        self._random = random.SystemRandom()
        self._stopper = ThreadStopper()
        self._processor_use = ProcessorUse()

    def gap_s(self) -> float:
        """How long to wait for the next moment; with nothing to see until it may come."""
        if self._thawed.is_set():
            return self._gap_s * self._random.uniform(_SHORTEST, _LONGEST)
        return self._gap_s * self.await_thaw()

    @property
    def due(self) -> bool:
        """Whether there is anything to look at."""
        return self._thawed.is_set()

    def await_thaw(self) -> float:
        """Until something can run; how much of a gap is then left.

        What is left of a gap in which a random moment lies: moments are as likely soon after a thaw
        as at any other time.
        """
        self._stopper.settle()
        if not self._thawed.wait(_STILL_S):
            return 0.0
        self._stopper.settle()  # one that stopped late would stay so
        whole = math.sqrt(self._random.uniform(_SHORTEST**2, _LONGEST**2))
        return whole * self._random.random()

    def taken(self, processes: Iterable[SampledProcess]) -> Moment:
        """The threads that want a processor at this moment, up to a few of them."""
        self._stopper.settle()  # one that stopped late does not run, and would stay so
        running = [(p, tid) for p in processes for tid in p.running()]
        weight = max(1.0, len(running) / _THREADS_A_ROUND)
        if weight > 1.0:
            running = self._random.sample(running, _THREADS_A_ROUND)
        looks = [look for p, tid in running if (look := self._at(p, tid)) is not None]
        counted: list[CountedLook] = []
        for look in looks:
            if self._random.random() > self._processor_use.weight(look.tid):
                continue
            processors = weight * self._processor_use.busiest(look.tid)
            counted.append(CountedLook(look, processors, partial(self._beside, look, looks)))
        return Moment(tuple(counted), tuple(look.tid for look in looks), float(bool(looks)))

    def _beside(self, look: Look, looks: list[Look]) -> list[Look]:
        """Other threads of its process, with the main one, for which those of a pool work."""
        process, main = look.process, look.process.pid
        found = [other for other in looks if other.process is process and other is not look]
        if look.tid == main or any(other.tid == main for other in found):
            return found
        return [*found, *filter(None, [self._at(process, main)])]

    def _at(self, process: SampledProcess, tid: int) -> Look | None:
        """One thread, whether it runs or waits; None where it cannot be looked at now."""
        if not self._turn.acquire(blocking=False):  # those that stopped late are to be let go
            return None
        try:
            with self._stopper.stopped(tid) as registers:
                stack, code = process.stack(registers), process.code(registers)
                ran_ns = process.ran_ns(tid)
        except AttachRefused:
            self.refused += 1
            return None
        except NotStopped:
            return None
        finally:
            self._turn.release()
        self._processor_use.note(tid, ran_ns, time.monotonic_ns())
        return Look(process, tid, registers, stack, code)

    def finish(self) -> None:
        """Let go of everything."""
        deadline = time.monotonic() + _SETTLE_S
        while self._stopper.owed and time.monotonic() < deadline:
            self._stopper.settle()
            time.sleep(0.001)
