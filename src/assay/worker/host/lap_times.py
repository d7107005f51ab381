"""LapTimes: what the rounds of a stopwatch say, per call; pure.

The rule: the clock that counts is outside, less the null candidate's batch of the same round. The
inside clocks are finer, and count for all where none of them leaves out more than noise explains.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

_AGREEMENT = 0.1  # of the outside time by which the inside may fall short,
_SLACK_US = 20.0  # and of one call


@dataclass
class Laps:
    """Batches of one side, one a round."""

    outside_ns: list[int] = field(default_factory=list)
    inside_ns: list[int] = field(default_factory=list)


@dataclass
class LapTimes:
    """The batches of everybody: the candidate first, the null candidate last."""

    sides: list[Laps]
    lengths: list[int] = field(default_factory=list)  # calls a batch, one a round

    def outside_us(self, side: int) -> list[float]:
        """Per call, by our own clock."""
        rows = zip(
            self.sides[side].outside_ns, self.sides[-1].outside_ns, self.lengths, strict=True
        )
        return [max(1.0, ns - null) / 1e3 / n for ns, null, n in rows]

    def inside_us(self, side: int) -> list[float]:
        """Per call, by the child's clock."""
        rows = zip(self.sides[side].inside_ns, self.lengths, strict=True)
        return [ns / 1e3 / n for ns, n in rows]

    def inside_share(self, side: int) -> float:
        """The inside time over the outside one."""
        outside = statistics.median(self.outside_us(side))
        return statistics.median(self.inside_us(side)) / max(outside, 1e-9)

    def believed(self, side: int) -> bool:
        """Whether the inside clock accounts for the time seen from outside.

        Only too little inside is a lie worth telling. More inside than outside minus null means
        that the null batch, which touches memory of its own, cost more than ours does here.
        """
        outside = statistics.median(self.outside_us(side))
        inside = statistics.median(self.inside_us(side))
        return outside - inside <= _AGREEMENT * outside + _SLACK_US

    @property
    def inside(self) -> bool:
        """Whether the inside clocks are believed on every side."""
        return all(self.believed(side) for side in range(len(self.sides) - 1))

    def samples_us(self, side: int) -> list[float]:
        """Per call, by the clock that counts for all of them."""
        return self.inside_us(side) if self.inside else self.outside_us(side)
