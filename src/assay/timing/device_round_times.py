"""DeviceRoundTimes: what the rounds say, per call; pure.

The rule: the clock that counts is outside. The events inside are finer, and count for all where
they account, on every side, for the time seen from outside. The null candidate's batch, which
computes nothing and copies as much, is subtracted from either; so is what a process needs more than
the others do between two launches, once a call: at least one it makes. A side that runs in several
processes is what they show on average.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

from assay.data.observations.observation import LeftoverSeen
from assay.devices.idle_probe import BEYOND_US

_AGREEMENT = 0.03  # of the outside time by which the inside may fall short,
_SLACK_US = 30.0  # and of one batch


@dataclass(frozen=True)
class GatedRun:
    """Times of one batch, in nanoseconds."""

    inside_ns: int  # of all calls together, as the child's events say
    outside_ns: int  # from the opening of the gate to the device's word
    launch_ns: int  # of the host, from the first call to the last
    gated: bool  # False where it had to be let through before it had queued everything
    after_us: float = 0.0  # that the judge's own work waited for the device when all was done


@dataclass
class DeviceRoundTimes:
    """The runs of everybody, one a round."""

    sides: int  # without the null candidate
    warm: bool = False  # all calls of a batch found their inputs at one place
    gaps_us: tuple[float, ...] = ()  # by process, before a candidate was there
    processes: int = 1  # of each side, one after the other
    waiting: tuple[str, ...] = ()  # who waits for the device inside a call: nobody is gated then
    lengths: list[int] = field(default_factory=list)  # calls a batch, one a round
    runs: list[list[GatedRun]] = field(default_factory=list)  # by process, the null one last

    def __post_init__(self) -> None:
        self.runs = self.runs or [[] for _ in range(self.sides * self.processes + 1)]

    def processes_of(self, side: int) -> range:
        """Their places among all."""
        return range(side * self.processes, (side + 1) * self.processes)

    def inside_us(self, side: int) -> list[float]:
        """Per call, by the child's events."""
        return self._mean(side, lambda place: self._beyond_gap(place, "inside_ns"))

    def outside_us(self, side: int) -> list[float]:
        """Per call, by our own clock."""
        return self._mean(side, lambda place: self._beyond_gap(place, "outside_ns"))

    def launch_us(self, side: int) -> list[float]:
        """Host time per call until it was queued."""
        return self._mean(side, lambda place: self._beyond_null(place, "launch_ns"))

    def host_us(self, side: int) -> list[float]:
        """What a caller waits for in the long run: the host, or the device where that is longer."""
        return [max(pair) for pair in zip(self.launch_us(side), self.samples_us(side), strict=True)]

    def offset_us(self) -> float:
        """What a pair of events around nothing shows, per call."""
        null = [run.inside_ns for run in self.runs[-1]]
        return statistics.median(ns / 1e3 / n for ns, n in zip(null, self.lengths, strict=True))

    def gated(self, side: int) -> bool:
        """Whether every batch was queued whole before the gate opened."""
        return all(run.gated for place in self.processes_of(side) for run in self.runs[place])

    def left_us(self, side: int) -> float:
        """What the device was at work for after its batches, beyond what it is after the others'.

        A device that others use is at work after everybody's.
        """
        own, null = [], [run.after_us for run in self.runs[-1]]
        for place in self.processes_of(side):
            own.append(statistics.median(run.after_us for run in self.runs[place]))
        return max(own) - statistics.median(null)

    def apart_us(self, side: int) -> float:
        """Between the processes of a side that differ most; 0 where it has one."""
        times_us = [
            statistics.median(self._beyond_gap(place, "inside_ns" if self.inside else "outside_ns"))
            for place in self.processes_of(side)
        ]
        return max(times_us) - min(times_us)

    def inside_share(self, side: int) -> float:
        """The inside time over the outside one, of the process where that is least."""
        clocks = [self._clocks(place) for place in self.processes_of(side)]
        return min(inside / max(outside, 1e-3) for inside, outside in clocks)

    def believed(self, side: int) -> bool:
        """Whether the events account for all the time seen from outside, in every process."""
        slack = _SLACK_US / statistics.median(self.lengths)
        clocks = [self._clocks(place) for place in self.processes_of(side)]
        return all(outside - inside <= _AGREEMENT * outside + slack for inside, outside in clocks)

    @property
    def inside(self) -> bool:
        """Whether the events are believed on every side."""
        return all(self.believed(side) for side in range(self.sides))

    def samples_us(self, side: int) -> list[float]:
        """Per call, by the clock that counts for all of them."""
        return self.inside_us(side) if self.inside else self.outside_us(side)

    def _mean(self, side: int, times_us: Callable[[int], list[float]]) -> list[float]:
        """Of its processes, round by round."""
        rounds = zip(*map(times_us, self.processes_of(side)), strict=True)
        return [statistics.fmean(one) for one in rounds]

    def _clocks(self, place: int) -> tuple[float, float]:
        """What one process's events say, and what our own clock does."""
        inside = self._beyond_gap(place, "inside_ns")
        return statistics.median(inside), statistics.median(self._beyond_gap(place, "outside_ns"))

    def _beyond_gap(self, place: int, name: str) -> list[float]:
        more_us = self.gaps_us[place] - statistics.fmean(self.gaps_us) if self.gaps_us else 0.0
        return [max(0.001, us - more_us) for us in self._beyond_null(place, name)]

    def _beyond_null(self, place: int, name: str) -> list[float]:
        pairs = zip(self.runs[place], self.runs[-1], self.lengths, strict=True)
        return [
            max(0.001, (getattr(run, name) - getattr(null, name)) / 1e3 / n)
            for run, null, n in pairs
        ]


def leftover_device_work(times: DeviceRoundTimes) -> list[LeftoverSeen]:
    """After timed batches: does the candidate keep the device at work, and nobody else?"""
    if not times.lengths or times.left_us(0) <= BEYOND_US:
        return []
    text = f"the device works on for {times.left_us(0):.0f} us or more when a batch is called done"
    return [LeftoverSeen(when="timed batches", processes=0, on_device=True, text=text)]
