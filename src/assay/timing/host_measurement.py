"""What a row of rounds on a CPU is recorded as.

The rule: raw samples by the clock that counts for all sides, with what a reader should know of the
caches and of the machine; whether a ratio may be stated from them is the judge's business.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from assay.data.device import Device
from assay.data.observations.measurement import MachineLoad, Measurement
from assay.data.observations.observation import TimesSeen
from assay.data.settings import Cache
from assay.timing.cache_request import cache_remarks, place_remarks
from assay.timing.host_round_times import HostRoundTimes
from assay.timing.statistics.load_effect import load_remarks, widening


@dataclass(frozen=True)
class TimedRow:
    """The rounds of everybody."""

    names: list[str]  # without the null candidate
    times: HostRoundTimes
    warm: bool  # all calls of a batch at one place
    load: MachineLoad


def times_seen(
    row: TimedRow, device: Device, asked: Cache, inputs_bytes: int, call_bytes: int
) -> TimesSeen:
    """The measurement of each side, both clocks of the candidate, and the load."""
    times = row.times
    cache = "warm" if row.warm else _cache(device, min(times.lengths) * inputs_bytes)
    remarks = cache_remarks(asked, cache, row.warm) + place_remarks(device, call_bytes, row.warm)
    remarks += load_remarks(row.load)
    clock = "inside" if times.inside else "outside"
    measured = tuple(
        Measurement(
            subject=name,
            method=_method(row, clock),
            clock=clock,
            cache=cache,
            calls_per_sample=tuple(times.lengths),
            samples_us=tuple(times.samples_us(number)),
            apart_us=_apart_us(row, number),
            remarks=remarks,
        )
        for number, name in enumerate(row.names)
    )
    return TimesSeen(
        measurements=measured,
        inside_share=min(max(times.inside_share(0), 0.0), 1e6),
        clock_rounds=times.clock_rounds(0),
        resolution_us=times.resolution_us,
        load=row.load,
    )


def _method(row: TimedRow, clock: str) -> str:
    words = (
        "inside, confirmed by outside" if clock == "inside" else "outside; null batch subtracted"
    )
    places = "; inputs at one place" if row.warm else ""
    return f"{words}; {len(row.times.lengths)} rounds in random order{places}"


def _apart_us(row: TimedRow, side: int) -> float:
    """What no number of rounds excludes: load, and what empty batches scatter by."""
    loaded = widening(row.load) * statistics.median(row.times.samples_us(side))
    return max(loaded, row.times.apart_us(side))


def _cache(device: Device, ring_bytes: int) -> str:
    """Cold only where the ring of distinct inputs is larger than the last-level cache."""
    llc = device.caches.llc_bytes
    return "cold" if llc is not None and ring_bytes > llc else "warm"
