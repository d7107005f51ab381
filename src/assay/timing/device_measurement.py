"""One side of the timing rounds as a Measurement."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from assay.data.device import Device, DeviceReading
from assay.data.observations.measurement import Measurement
from assay.timing.device_round_times import DeviceRoundTimes

# Gaps between kernels differ from process to process and stay as long as it lives: 14 processes of
# one kernel on an H200 scattered by 0.06 to 0.08 us a launch (standard deviation), while the
# kernels' own times agreed. What each process's own gap, measured beforehand, leaves of it over 102
# processes is 0.036 us where calls are of 10 to 20 us and 0.045 us where they are of 100: two are
# within so much of each other in 95 of 100 cases, or a little more.
_APART_US = 0.27
_APART_KNOWING_GAPS_US = 0.105
_APART_SHARE = 0.001
# A call of several launches is apart by as many gaps, of which one is taken off. What the two
# processes of a side are seen to be apart has one degree of freedom: twice that is what their mean
# is within in nine of ten cases.
_APART_SEEN = 2.0
_CACHES = 3  # times the last-level cache that inputs and results together have to be


def measurement(
    times: DeviceRoundTimes,
    side: int,
    name: str,
    cache: str,
    readings: Sequence[DeviceReading] = (),
) -> Measurement:
    """What the rounds say of one side; `readings` are of the device, one a round."""
    clock = "events inside, confirmed outside" if times.inside else "clock outside"
    gated = times.gated(side)
    places = "; inputs at one place" if times.warm else ""
    gating = "gated" if gated else "not gated, with its launches"
    several = f" in {times.processes} processes each" if times.processes > 1 else ""
    rounds = f"{len(times.lengths)} rounds in random order{several}"
    return Measurement(
        subject=name,
        method=f"{clock}; {gating}; {rounds}{places}",
        clock="inside" if times.inside else "outside",
        cache=cache,
        calls_per_sample=tuple(times.lengths),
        samples_us=tuple(times.samples_us(side)),
        host_us=tuple(times.host_us(side)) if gated else (),
        launch_us=tuple(times.launch_us(side)) if gated else (),
        offset_us=times.offset_us() if times.inside else 0.0,
        apart_us=apart_us(times, side),
        gated=gated,
        clocks_mhz=tuple(r.sm_clock_mhz for r in readings if r.sm_clock_mhz),
        temperatures_c=tuple(r.temperature_c for r in readings if r.temperature_c),
        throttles=tuple({why for r in readings for why in r.throttle_reasons or ()}),
        remarks=gate_remarks(times),
    )


def gate_remarks(times: DeviceRoundTimes) -> tuple[str, ...]:
    """Why nobody was gated, where nobody was."""
    names = " and ".join(times.waiting)
    verb = "waits" if len(times.waiting) == 1 else "wait"
    text = f"{names} {verb} for the device inside a call: both sides are timed with their launches"
    return (text,) if names else ()


def apart_us(times: DeviceRoundTimes, side: int) -> float:
    """What two sides of one kernel are within in 95 of 100 cases, however many rounds there are."""
    gaps_us = _APART_KNOWING_GAPS_US if times.gaps_us else _APART_US
    call_us = statistics.median(times.samples_us(side))
    seen_us = _APART_SEEN * times.apart_us(side)
    return math.hypot(gaps_us, _APART_SHARE * call_us, seen_us) / math.sqrt(times.processes)


def is_cold(device: Device, calls: float, call_bytes: int) -> bool:
    """Whether so many calls go through more memory than any cache keeps."""
    llc = device.caches.llc_bytes
    return llc is not None and calls * call_bytes > _CACHES * llc


def cache_state(device: Device, times: DeviceRoundTimes, call_bytes: int) -> str:
    """Of the calls of a typical batch."""
    if times.warm:
        return "warm"
    return "cold" if is_cold(device, statistics.median(times.lengths), call_bytes) else "warm"
