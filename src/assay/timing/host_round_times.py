"""HostRoundTimes: what the rounds of a stopwatch say, per call; pure.

The rule: the clock that counts is outside, less what the null candidate's batch of the same round
takes beside its own calls. The inside clocks are finer, and count for all where the outside clock
confirms every one of them. A time that the outside clock cannot tell from none is no time.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

from assay.data.observations.measurement import ClockRound
from assay.timing.statistics.clock_agreement import (
    AGREEMENT,
    ClockAnswer,
    clock_answer,
    inside_share,
    net_us,
    uncertain_us,
)

_QUIET_ROUND = 0.05  # of a batch of known code for which a thread of it had no processor
_LEAST_US = 1e-3
_MOST_HANDED = 2  # times what the null candidate's results take; 1.2 were seen
_LEAST_QUIET = 6  # rounds; with fewer there is no interval


@dataclass(frozen=True)
class BatchTimes:
    """One batch of one side, in nanoseconds."""

    outside_ns: int
    inside_ns: int  # of all calls together, as the child says
    waited_ns: int = 0  # for which the thread that waited most had no processor
    handed_ns: int = 0  # of handing the results over, as the child says
    ran_ns: int = 0  # processor time of the whole tree

    @property
    def waited(self) -> float:
        """As a share of the batch."""
        return min(1.0, self.waited_ns / max(1, self.outside_ns))

    @property
    def worked_ns(self) -> float:
        """Processor time, less what its other threads may have spun while one had no processor.

        Threads of OpenMP spin at the end of a loop until the last one is there. As many did as the
        tree has beside the one that waited.
        """
        others = (self.ran_ns + self.waited_ns) / max(1, self.outside_ns) - 1.0
        return max(0.0, self.ran_ns - max(0.0, others) * self.waited_ns)


def own_cost_ns(batch_times: BatchTimes, null: BatchTimes) -> int:
    """What a batch costs beside its calls.

    Handing results over depends on the caches that a call leaves, so each side's own figure counts;
    it is testimony, so no more of it than the null candidate needs twice.
    """
    beside = null.outside_ns - null.inside_ns - null.handed_ns
    return beside + min(batch_times.handed_ns, _MOST_HANDED * null.handed_ns)


@dataclass
class HostRoundTimes:
    """The batches of everybody, one a round: the candidate first, the null candidate last."""

    sides: list[list[BatchTimes]]
    lengths: list[int] = field(default_factory=list)  # calls a batch, one a round

    def add(self, length: int, all_batch_times: list[BatchTimes]) -> None:
        """One round."""
        self.lengths.append(length)
        for side, batch_times in zip(self.sides, all_batch_times, strict=True):
            side.append(batch_times)

    def clock_rounds(self, side: int) -> tuple[ClockRound, ...]:
        """Both clocks of one side."""
        rows = zip(self.lengths, self.sides[side], self.sides[-1], strict=True)
        return tuple(
            ClockRound(
                calls=calls,
                outside_us=batch_times.outside_ns / 1e3,
                empty_us=own_cost_ns(batch_times, null) / 1e3,
                inside_us=batch_times.inside_ns / 1e3,
                waited_us=batch_times.waited_ns / 1e3,
            )
            for calls, batch_times, null in rows
        )

    def inside_share(self, side: int) -> float:
        """The inside time over the outside one."""
        return inside_share(self.clock_rounds(side))

    def answer(self, side: int) -> ClockAnswer:
        """What is to be thought of a side's inside clock."""
        return clock_answer(self.clock_rounds(side))

    @property
    def inside(self) -> bool:
        """Whether the inside clocks are confirmed on every side."""
        return all(
            self.answer(side) is ClockAnswer.CONFIRMED for side in range(len(self.sides) - 1)
        )

    @property
    def resolution_us(self) -> float:
        """Per call; the outside clock cannot tell a shorter time from none."""
        return uncertain_us(self.clock_rounds(0)) / statistics.median(self.lengths)

    def apart_us(self, side: int) -> float:
        """What the outside clock cannot exclude per call; 0 where that is within agreement."""
        rounds = self.clock_rounds(side)
        loose = uncertain_us(rounds) > AGREEMENT * max(net_us(rounds), 0.0)
        return self.resolution_us if loose else 0.0

    def samples_us(self, side: int) -> list[float]:
        """Per call, by the clock that counts for all; none below what that clock resolves."""
        rounds = self.clock_rounds(side)
        excess = self._excess_us(side)
        if self.inside:
            return [max(_LEAST_US, one.inside_us / one.calls) + excess for one in rounds]
        empty = statistics.median(one.empty_us / one.calls for one in rounds)
        least = max(_LEAST_US, self.resolution_us)
        return [max(least, one.outside_us / one.calls - empty) + excess for one in rounds]

    def _excess_us(self, side: int) -> float:
        """Per call: what handing over is said to take beyond what the null candidate's takes.

        The clocks are compared without it, because caches explain it; but it is testimony, and
        whoever says more than is true would take that much off its own time.
        """
        said, known = (self._handed_us(number) for number in (side, -1))
        return max(0.0, said - known)

    def _handed_us(self, side: int) -> float:
        pairs = zip(self.sides[side], self.lengths, strict=True)
        return statistics.median(one.handed_ns / 1e3 / calls for one, calls in pairs)

    def ran_us(self, side: int) -> list[float]:
        """Processor time of a call, one a round."""
        pairs = zip(self.sides[side], self.lengths, strict=True)
        return [one.ran_ns / 1e3 / calls for one, calls in pairs]

    def waited(self) -> list[float]:
        """The share that known code waited for a processor, one a round."""
        known = self.sides[1:]
        return [
            statistics.fmean(batch_times.waited for batch_times in all_batch_times)
            for all_batch_times in zip(*known, strict=True)
        ]

    def quiet(self) -> HostRoundTimes:
        """The rounds in which known code found its processors free; all where those are too few.

        The candidate's own waiting does not choose: it could drop the rounds it dislikes.
        """
        kept = [i for i, share in enumerate(self.waited()) if share <= _QUIET_ROUND]
        if len(kept) < _LEAST_QUIET:
            return self
        sides = [[side[place] for place in kept] for side in self.sides]
        return HostRoundTimes(sides, [self.lengths[place] for place in kept])
