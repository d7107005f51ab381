"""Measurement: raw samples and how they were taken. Statistics are derived, never stored alone."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from assay.data.record import Record
from assay.data.workload import Category


class Difference(StrEnum):
    """What a ratio shows, in words."""

    FASTER = "faster"
    SLOWER = "slower"
    NOT_SHOWN = "no difference shown"


class Measurement(Record):
    """Times of one candidate or baseline on one workload; one sample a round.

    What was not measured is empty or None.
    """

    subject: str  # "candidate" or the name of a baseline
    method: str  # how one sample was taken, in words
    clock: str  # "outside" or "inside"
    cache: str  # "cold" or "warm"
    calls_per_sample: tuple[int, ...]
    samples_us: tuple[float, ...]  # microseconds per call, one per round
    host_us: tuple[float, ...] = ()  # the host's time from call to result, per call, one per round
    launch_us: tuple[float, ...] = ()  # the host's time to hand a call to the device, per round
    kernels_us: tuple[float, ...] = ()  # sum of the kernels' times per call, without gaps
    offset_us: float = 0.0  # fixed cost per call that was subtracted from every sample
    apart_us: float = 0.0  # what two processes of one kernel may be apart, per call
    clocks_mhz: tuple[float, ...] = ()  # of the device, one per round
    temperatures_c: tuple[float, ...] = ()
    throttles: tuple[str, ...] = ()  # why the driver held the clock down, as it says
    energy_mj: float | None = None  # millijoules per call
    gated: bool | None = None  # the device was held until every call of a batch was handed over
    remarks: tuple[str, ...] = ()  # what a reader should know, in words

    @model_validator(mode="after")
    def _rounds_agree(self) -> Self:
        """Host times are compared round by round with the others."""
        if self.host_us and len(self.host_us) != len(self.samples_us):
            raise ValueError(f"{len(self.host_us)} host times for {len(self.samples_us)} rounds")
        return self


class ClockRound(Record):
    """Both clocks of one batch of the candidate, in microseconds."""

    calls: int
    outside_us: float  # by our own clock
    empty_us: float  # what the null candidate's batch of the round takes beside its own calls
    inside_us: float  # by the child's clock, all calls together; testimony
    waited_us: float  # for which a thread of the child was runnable and had no processor


class MachineLoad(Record):
    """How busy the machine was with other work while times were taken.

    What the machine does not tell is None.
    """

    waited: float  # share of the baselines' time for which a thread of theirs had no processor
    stolen: float | None = None  # share of the processors' time that the hypervisor took
    pressure: float | None = None  # share of time in which some task had no processor
    others: float | None = None  # tasks that computed while everything of ours stood still
    processors: int = 1


class Timing(Record):
    """A speedup as a ratio of two measurements, with its interval."""

    baseline: str
    candidate_us: float
    baseline_us: float
    speedup: float
    speedup_low: float
    speedup_high: float
    host_speedup: float | None = None  # of what a caller waits for; None where not measured apart
    host_speedup_low: float | None = None
    host_speedup_high: float | None = None
    method: str
    cache: str = ""  # "cold" or "warm"; empty only in records older than the field
    difference: Difference | None = None  # None only in records older than the word
    launch_bound: bool | None = None  # None where the host's share was not measured
    candidate_low_us: float | None = None
    candidate_high_us: float | None = None
    remarks: tuple[str, ...] = ()


class ShapeTime(Record):
    """The speedup at a drawn shape of one category, or why there is none."""

    category: Category
    axes: dict[str, int] = Field(default_factory=dict)  # empty where no shape was drawn
    candidate_us: float | None = None
    baseline_us: float | None = None
    speedup: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None
    method: str = ""
    reason: str = ""  # why it was not timed
