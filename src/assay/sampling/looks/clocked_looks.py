"""ClockedLooks: what the kernel wrote down of threads by their processor time, as looks.

The rule: every sample stands for the same processor time, whatever else the machine does. The
kernel takes many, of which a few drawn ones are looked at: who ran is known of all. How much
processor time lies between two is secret, and another one each time; and it is little, because the
clock of a new thread starts with the thread, so that nothing is known of its first moments. Where
the ring is full until it is read again, samples are lost, of everybody alike.
"""

from __future__ import annotations

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
        samples = self._events.drain()
        drawn = self._random.sample(samples, min(self._most, len(samples)))
        each = len(samples) / max(1, len(drawn))
        counted = tuple(
            CountedLook(self._look(one), each, partial(self._beside, one, samples)) for one in drawn
        )
        return Moment(counted, tuple(sample.tid for sample in samples), float(len(samples)))

    def _beside(self, sample: ClockSample, samples: list[ClockSample]) -> list[Look]:
        """The main thread, at the samples of it that are nearest in time."""
        apart = sorted(
            (abs(other.time_ns - sample.time_ns), number)
            for number, other in enumerate(samples)
            if other.tid == other.pid == sample.pid and other is not sample
        )
        near = [number for distance, number in apart[:_NEAREST] if distance <= _NEAR_NS]
        return [self._look(samples[number]) for number in near]

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
