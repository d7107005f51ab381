"""Drift: whether the machine changed while it measured.

The rule: a baseline is the same code all through, so what changes in its times is the machine. The
first and the last third of its rounds are compared; a change is said where their 95 % intervals do
not overlap and their medians differ by 1 % and more. Of four rounds a side, the fewest asked for,
an interval is smallest to largest, and a machine at rest is called drifting in 2 of C(8, 4) = 70
cases at most. A clock is said to fall beyond 3 %. Pairing by rounds removes drift from a ratio; it
stays in every time that stands alone.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from math import ceil

from assay.data.observations.measurement import Measurement
from assay.timing.statistics.intervals import median_interval

LEAST_SIDE = 4  # rounds in a third
LEAST_SHIFT = 0.01  # of the median
CLOCK_FALL = 0.03  # of the clock


def drift_remarks(baseline: Measurement) -> tuple[str, ...]:
    """What its rounds, clocks and temperatures say of the machine, in words; empty at rest."""
    found = [
        time_drift(baseline.samples_us),
        clock_fall(baseline.clocks_mhz, baseline.temperatures_c),
        throttling(baseline.throttles),
    ]
    return tuple(text for text in found if text)


def time_drift(samples_us: Sequence[float]) -> str:
    """The first third of the rounds against the last."""
    side = ceil(len(samples_us) / 3)
    if side < LEAST_SIDE:
        return ""
    first, last = median_interval(samples_us[:side]), median_interval(samples_us[-side:])
    shift = last.mid / first.mid - 1.0
    apart = first.high < last.low or last.high < first.low
    if not apart or abs(shift) < LEAST_SHIFT:
        return ""
    word = "slower" if shift > 0 else "faster"
    return (
        f"the machine drifted: the baseline was {100 * abs(shift):.0f} % {word} in the last third "
        "of the rounds than in the first; ratios hold, times alone do not"
    )


def clock_fall(clocks_mhz: Sequence[float], temperatures_c: Sequence[float] = ()) -> str:
    """The clock of the last third of the rounds against that of the first."""
    if len(clocks_mhz) < 2:
        return ""
    first, last = _ends(clocks_mhz)
    if last >= first * (1.0 - CLOCK_FALL):
        return ""
    text = f"the clock fell from {first:.0f} to {last:.0f} MHz"
    if len(temperatures_c) >= 2:
        cool, warm = _ends(temperatures_c)
        text += f" while the temperature went from {cool:.0f} to {warm:.0f} C"
    return f"{text}; lock the clock, or let the device cool down"


def throttling(reasons: Sequence[str]) -> str:
    """What the driver says, each reason once."""
    named = ", ".join(dict.fromkeys(reasons))
    return f"the driver held the clock down: {named}" if named else ""


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Medians of the first and the last third."""
    side = ceil(len(values) / 3)
    return statistics.median(values[:side]), statistics.median(values[-side:])
