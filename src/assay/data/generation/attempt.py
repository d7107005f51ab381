"""Attempt: one candidate of a search, as strategies see it: what was measured, never claims."""

from __future__ import annotations

from pydantic import Field

from assay.data.generation.budget import Spend
from assay.data.generation.search_event import Move
from assay.data.record import Record


class Attempt(Record):
    """A candidate, what led to it and what was found. Times are of the first baseline's ratio."""

    number: int  # in the search
    task: str
    candidate: str  # its id; empty: the generator had none
    source: str = ""  # of the main file
    parents: tuple[str, ...] = ()
    move: Move = Move.DRAFT
    generator: str = ""
    labels: dict[str, str] = Field(default_factory=dict)
    choices: dict[str, str] = Field(default_factory=dict)
    status: str = ""  # of the verdict; empty: not judged
    reason: str = ""
    feedback: str = ""  # in few words, what a generator may be told of it
    speedup: float | None = None  # None where it is not accepted, or was not timed
    speedup_low: float | None = None
    speedup_high: float | None = None
    latency_us: float | None = None
    sol_us: float | None = None  # the least time that any kernel needs
    below_limit: bool = False  # faster than that: to be looked at, never a gain
    bottleneck: str = ""
    spent: Spend = Spend()

    @property
    def accepted(self) -> bool:
        """Right, honest, and not faster than physics allows."""
        return self.status == "accepted" and not self.below_limit

    @property
    def headroom(self) -> float | None:
        """How many times faster it could become at best; None where that is unknown."""
        if not self.latency_us or not self.sol_us:
            return None
        return self.latency_us / self.sol_us


def shows_gain(new: Attempt, old: Attempt | None) -> bool:
    """Whether the new one is faster than the old beyond noise: their intervals are apart."""
    if not new.accepted or new.speedup_low is None:
        return False
    if old is None or old.speedup_high is None:
        return True
    return new.speedup_low > old.speedup_high
