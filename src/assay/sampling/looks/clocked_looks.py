"""ClockedLooks: what the kernel wrote down of threads by their processor time, as looks.

The rule: every sample stands for the same processor time, whatever else the machine does. The
kernel takes many, of which a few drawn ones are looked at: who ran is known of all. How much
processor time lies between two is secret, and another one each time; and it is little, because the
clock of a new thread starts with the thread, so that nothing is known of its first moments. Where
the ring is full until it is read again, samples are lost, of everybody alike.
"""

from __future__ import annotations

import bisect
import itertools
import operator
import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from assay.sampling.looks.clock_events import ClockEvents, ClockSample, SamplesRefused
from assay.sampling.looks.moment import CountedLook, Moment
from assay.sampling.sampled_process import Look, SampledProcess

_PERIOD_S = 100e-6  # of processor time, about: starting a thread costs some 30 us
_GAP_S = 0.008  # between two readings
_NEAREST, _NEAR_NS = 5, 3_000_000  # samples of a main thread beside one of its pool
_SPREAD = (0.8, 1.25)  # of the secret period


class ClockedLooks:
    """Looks at the threads of some processes, and of all that these make."""

    clocked = True
    refused = 0  # looks that the kernel refused: it would have refused all of them at the start

    def __init__(self, rate_hz: float, process_of: Callable[[int, int], SampledProcess]) -> None:
        self._random = random.SystemRandom()
        period_s = self._random.uniform(*_SPREAD) * _PERIOD_S
        self._events = ClockEvents(round(1e9 * period_s))
        self._most = max(2, round(2 * rate_hz * _GAP_S))
        self._process_of = process_of

    def watch(self, processes: Iterable[SampledProcess]) -> None:
        """All threads that are there; those that come are theirs. Raises SamplesRefused."""
        try:
            for process in processes:
                self._events.watch(process.threads())
        except SamplesRefused:
            self._events.close()
            raise

    @property
    def due(self) -> bool:
        """There may always be something to read."""
        return True

    def gap_s(self) -> float:
        """How long to wait for the next reading."""
        return _GAP_S

    def taken(self, _: Iterable[SampledProcess]) -> Moment:
        """What came since the last reading, some of it looked at."""
        with self._events.reading() as samples:
            drawn = self._random.sample(samples, min(self._most, len(samples)))
            mains = _main_threads(samples)
            beside = [_nearest(one, mains.get(one.pid, [])) for one in drawn]
            for one in (*drawn, *itertools.chain(*beside)):
                one.keep()  # of the others nobody asks
        each = len(samples) / max(1, len(drawn))
        counted = tuple(
            CountedLook(self._look(one), each, partial(self._looks_at, near))
            for one, near in zip(drawn, beside, strict=True)
        )
        return Moment(counted, tuple(sample.tid for sample in samples), float(len(samples)))

    def _looks_at(self, samples: list[ClockSample]) -> list[Look]:
        return [self._look(one) for one in samples]

    def _look(self, sample: ClockSample) -> Look:
        process = self._process_of(sample.pid, self._events.parents.get(sample.pid, 0))
        registers = sample.registers
        if sample.in_kernel and process.after_system_call(registers.pc):
            registers = replace(registers, in_system_call=True)
        words = np.frombuffer(sample.stack[: len(sample.stack) & ~7], dtype=np.uint64)
        return Look(process, sample.tid, registers, words, process.code(registers))

    def finish(self) -> None:
        """Nothing is sampled any more."""
        self._events.close()


def _main_threads(samples: list[ClockSample]) -> dict[int, list[ClockSample]]:
    """The samples of each process's main thread, in the order of time."""
    found: dict[int, list[ClockSample]] = {}
    for one in samples:
        if one.tid == one.pid:
            found.setdefault(one.pid, []).append(one)
    for mains in found.values():
        mains.sort(key=_time_ns)
    return found


def _nearest(sample: ClockSample, mains: list[ClockSample]) -> list[ClockSample]:
    """Those of its main thread that are nearest in time, without itself."""
    at = bisect.bisect_left(mains, sample.time_ns, key=_time_ns)
    around = mains[max(0, at - _NEAREST) : at + _NEAREST + 1]
    apart = [(abs(one.time_ns - sample.time_ns), one) for one in around if one is not sample]
    apart.sort(key=operator.itemgetter(0))
    return [one for distance, one in apart[:_NEAREST] if distance <= _NEAR_NS]


def _time_ns(sample: ClockSample) -> int:
    return sample.time_ns
