"""Recheck: what someone claims of a kernel, beside what was found.

The rule: a claim keeps what its author said, in one unit for each quantity. Nothing is filled in:
what was not claimed, or not measured, is null.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from assay.data.record import SCHEMA_VERSION, Record
from assay.data.verdict import Status

RECHECK_EVENT = "recheck"  # the event of a run that holds its claims, as `{"rows": [Recheck]}`


class ClaimMark(StrEnum):
    """What a recheck makes of one claim. Closed; declared in order of precedence."""

    IMPOSSIBLE = "impossible"  # beyond what the claimed device can do
    CHEAT = "cheat"  # the kernel is dishonest
    WRONG = "wrong"  # the kernel is incorrect
    FAILED = "failed"  # it did not build, crashed, took too long or too much memory
    DOUBTFUL = "doubtful"  # the claim contradicts itself or needs luck, or honesty is in doubt
    OVERSTATED = "overstated"  # measured slower than claimed
    NOISE = "noise"  # no difference from the baseline was shown
    UNKNOWN = "unknown"  # something that was claimed could not be checked
    UNDERSTATED = "understated"  # measured better than claimed
    CONFIRMED = "confirmed"

    @property
    def holds(self) -> bool:
        """Whether the claim may be repeated as it stands."""
        return self in (ClaimMark.UNDERSTATED, ClaimMark.CONFIRMED)


class Claim(Record):
    """One row of someone's table."""

    number: int  # from 1, in the order of the table
    where: str  # file and line
    task: str = ""  # as the suite calls it, where it has such a task
    candidate: str = ""  # path or name of the kernel
    candidate_id: str = ""  # of its content; empty where it could not be read
    device: str = ""  # as its author calls it
    correct: bool | None = None
    speedup: float | None = None
    baseline: str = ""  # what the speedup is against, in the author's words
    time_us: float | None = None
    baseline_us: float | None = None
    bytes_per_s: float | None = None
    flops_per_s: float | None = None
    sizes: dict[str, int] = Field(default_factory=dict)  # axes that differ from the task's own
    unread: tuple[str, ...] = ()  # what of the row could not be read, and why


class ClaimFinding(Record):
    """One thing found about a claim."""

    mark: ClaimMark
    text: str


class MeasuredSpeed(Record):
    """What was measured of the kernel here."""

    device: str  # name of the device
    baseline: str
    speedup: float
    speedup_low: float
    speedup_high: float
    time_us: float
    time_low_us: float | None = None
    time_high_us: float | None = None
    baseline_us: float


class Recheck(Record):
    """One claim and what was found."""

    schema_version: int = SCHEMA_VERSION
    claim: Claim
    mark: ClaimMark
    reason: str  # the text of the heaviest finding
    findings: tuple[ClaimFinding, ...]
    entry: int | None = None  # number of the kernel in the run
    status: Status | None = None  # of its verdict; null where it was not judged
    measured: MeasuredSpeed | None = None
