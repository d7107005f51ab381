"""What a launch costs, and what an event pair adds to a kernel that stands alone between them.

The rule: these are medians, because they are costs to reckon with and not limits to reach. Device
times are taken behind a longer piece of work, so that the host has queued everything in time; only
what is said to be idle is not.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.devices.burst import BurstTimer, Work

_LAUNCHES = 200  # well within the thousand or so that a driver queues before the host must wait
_REPEATS = 15
_PAIRS = 60


@dataclass(frozen=True)
class LaunchCost:
    """All of one tiny kernel, in microseconds."""

    host_us: float  # of the host, for one launch
    gap_us: float  # of the device, from one kernel to the next in a full queue
    pairs_us: tuple[float, ...]  # between events around one kernel, queue busy
    idle_pairs_us: tuple[float, ...]  # the same, queue idle: the launch itself is in it

    @property
    def event_offset_us(self) -> float:
        """What the pair adds to the kernel."""
        return statistics.median(self.pairs_us) - self.gap_us

    @property
    def event_offset_idle_us(self) -> float:
        """What the pair and the late launch add to the kernel."""
        return statistics.median(self.idle_pairs_us) - self.gap_us

    @property
    def timer_step_ns(self) -> float:
        """The smallest difference that two readings of the events show."""
        return 1e3 * smallest_step((*self.pairs_us, *self.idle_pairs_us))


def launch_cost(timer: BurstTimer, tiny: Work, long: Work) -> LaunchCost:
    """Measured with `tiny`, one kernel that does nothing to speak of, behind `long`."""
    timer.burst_us(tiny, _LAUNCHES)
    host_us = statistics.median(_host_us(timer, tiny) for _ in range(_REPEATS))
    behind = long_enough(timer, long, 2 * _LAUNCHES * host_us)
    gaps_us = [timer.burst_us(tiny, _LAUNCHES, behind) / _LAUNCHES for _ in range(_REPEATS)]
    return LaunchCost(
        host_us=host_us,
        gap_us=statistics.median(gaps_us),
        pairs_us=tuple(timer.burst_us(tiny, 1, long) for _ in range(_PAIRS)),
        idle_pairs_us=tuple(_idle_us(timer, tiny) for _ in range(_PAIRS)),
    )


def long_enough(timer: BurstTimer, long: Work, least_us: float) -> Work:
    """As many calls of `long` as keep the device busy for that time."""
    timer.burst_us(long, 1)
    calls = math.ceil(least_us / max(timer.burst_us(long, 1), 1e-3))

    def queue() -> None:
        for _ in range(calls):
            long()

    return queue


def smallest_step(samples: Sequence[float]) -> float:
    """The smallest difference between two of them; where all agree, the step from zero to them."""
    distinct = sorted(set(samples))
    return min((later - earlier for earlier, later in pairwise(distinct)), default=distinct[0])


def _host_us(timer: BurstTimer, tiny: Work) -> float:
    timer.wait()
    start_ns = time.perf_counter_ns()
    for _ in range(_LAUNCHES):
        tiny()
    return (time.perf_counter_ns() - start_ns) / 1e3 / _LAUNCHES


def _idle_us(timer: BurstTimer, tiny: Work) -> float:
    timer.wait()
    return timer.burst_us(tiny, 1)
