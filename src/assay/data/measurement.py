"""Measurement: raw samples and how they were taken. Statistics are derived, never stored alone."""

from __future__ import annotations

from assay.data.record import Record


class Measurement(Record):
    """Times of one candidate or baseline on one workload; one sample a round."""

    subject: str  # "candidate" or the name of a baseline
    method: str  # how one sample was taken, in words
    clock: str  # "outside" or "inside"
    cache: str  # "cold" or "warm"
    calls_per_sample: tuple[int, ...]
    samples_us: tuple[float, ...]  # microseconds per call, one per round


class Timing(Record):
    """A speedup as a ratio of two measurements, with its interval."""

    baseline: str
    candidate_us: float
    baseline_us: float
    speedup: float
    speedup_low: float
    speedup_high: float
    method: str
