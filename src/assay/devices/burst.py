"""Bursts: the same call many times in a row, timed as one.

The rule: a device's time is taken by the device. Between two events stand enough calls that the
events themselves, and the host that queues the calls, no longer count.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch

Work = Callable[[], object]

_BURST_US = 5000.0
_MAX_CALLS = 64
_LEAST = 3
_WARM_SHARE = 0.2  # of the budget: a clock that idled takes tenths of a second to rise


class BurstTimer(Protocol):
    """The clock of one device."""

    def burst_us(self, work: Work, calls: int, behind: Work | None = None) -> float:
        """Device time of so many calls, in microseconds; `behind` is queued first, untimed."""
        ...

    def wait(self) -> None:
        """Return when everything queued has ended."""
        ...


@dataclass(frozen=True)
class EventTimer:
    """CUDA events on the current stream of the current device, which the caller has chosen."""

    def burst_us(self, work: Work, calls: int, behind: Work | None = None) -> float:
        """The time between two events around the calls."""
        start = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        if behind is not None:
            behind()
        start.record()
        for _ in range(calls):
            work()
        end.record()
        end.synchronize()
        return float(start.elapsed_time(end)) * 1e3

    def wait(self) -> None:
        """For the current device."""
        torch.cuda.synchronize()


@dataclass(frozen=True)
class Bursts:
    """Microseconds a call, one figure a burst."""

    per_call_us: tuple[float, ...]

    @property
    def best_us(self) -> float:
        """Noise only slows, so this is what the device can do."""
        return min(self.per_call_us)

    @property
    def median_us(self) -> float:
        """What the device does."""
        return statistics.median(self.per_call_us)


def bursts(timer: BurstTimer, work: Work, budget_s: float) -> Bursts:
    """As many bursts as fit, three at least, after a fifth of the budget to warm up."""
    began_s = time.perf_counter()
    calls = calls_a_burst(_warm(timer, work, began_s + _WARM_SHARE * budget_s))
    found: list[float] = []
    while time.perf_counter() < began_s + budget_s or len(found) < _LEAST:
        found.append(timer.burst_us(work, calls) / calls)
    return Bursts(tuple(found))


def calls_a_burst(one_us: float) -> int:
    """So many that a burst takes five milliseconds: an event is a thousandth of it at most."""
    return max(1, min(_MAX_CALLS, math.ceil(_BURST_US / max(one_us, 1e-3))))


def _warm(timer: BurstTimer, work: Work, until_s: float) -> float:
    """Run until then, twice at least; microseconds of the last call."""
    one_us = timer.burst_us(work, 1)
    while True:
        one_us = timer.burst_us(work, 1)
        if time.perf_counter() >= until_s:
            return one_us
