"""Figures and answers in words: one way to write a time, a share, a workload, a tally.

The rule: one unit in one place, no more digits than the figure carries, and no colour here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from assay.data.observations.measurement import Timing
from assay.data.verdict import Coverage, Limits, Status, Verdict, WorkloadOutcome
from assay.data.workload import Direction, Distribution, Layout, Workload


def microseconds(value_us: float) -> str:
    """Three significant digits, in the unit that keeps them short."""
    for unit, factor in (("us", 1.0), ("ms", 1e3), ("s", 1e6)):
        if value_us < 999.5 * factor or unit == "s":
            return f"{_significant(value_us / factor)} {unit}"
    raise AssertionError("unreachable: seconds end the list")


def byte_size(value: float) -> str:
    """Binary units, as memory and caches are sold."""
    for unit in ("B", "KiB", "MiB"):
        if value < 1023.5:
            return f"{_significant(value)} {unit}"
        value /= 1024
    return f"{_significant(value)} GiB"


def rate(value: float, unit: str) -> str:
    """A decimal rate in giga- or tera-units, as bandwidth and arithmetic are sold."""
    if value < 999.5e9:
        return f"{_significant(value / 1e9)} G{unit}"
    return f"{_significant(value / 1e12)} T{unit}"


def age(seconds: float) -> str:
    """How long ago, in the largest unit that fits."""
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        count = int(seconds / length)
        if count > 0:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def budget_share(share: float | None) -> str:
    """An error as a share of its budget: above 100 % is wrong."""
    if share is None:
        return "-"
    if share > 99.995:
        return f"{_significant(share)} x"
    return f"{_significant(100 * share)} %"


def speedup(timing: Timing) -> str:
    """The ratio with its interval, what it shows, its times, and the host's where it differs."""
    parts = [timing.difference.value] if timing.difference else []
    said = ", ".join([*parts, "launch-bound"] if timing.launch_bound else parts)
    return (
        f"{timing.speedup:.2f}x {timing.baseline} "
        f"[{timing.speedup_low:.2f} {timing.speedup_high:.2f}]{' ' if said else ''}{said}: "
        f"{microseconds(timing.candidate_us)} against {microseconds(timing.baseline_us)}"
        f"{host_speedup(timing)}"
    )


def host_speedup(timing: Timing) -> str:
    """The host's ratio, where it is not the device's; else empty."""
    mid, low, high = timing.host_speedup, timing.host_speedup_low, timing.host_speedup_high
    if mid is None or low is None or high is None:
        return ""
    apart = high < timing.speedup_low or timing.speedup_high < low
    if not (apart or timing.launch_bound):
        return ""
    return f", and {mid:.2f}x [{low:.2f} {high:.2f}] with the host's time"


def light(limits: Limits) -> str:
    """The share of the speed of light, and what it is the speed of; empty where none is stated."""
    if limits.sol_fraction is None:
        return ""
    below = ", below the floor" if limits.violation else ""
    share = f"{100 * limits.sol_fraction:.0f} % of the speed of light"
    return f"{share} ({limits.bound}{below})"


def fast(verdict: Verdict) -> str:
    """The third answer, in a table's cell."""
    if not verdict.timing:
        return "-"
    return f"{verdict.timing[0].speedup:.2f}x"


def workload(row: WorkloadOutcome | Workload) -> str:
    """Sizes and dtype, then whatever is not ordinary about it."""
    sizes = " ".join(f"{name}={size}" for name, size in row.axes.items())
    special = [
        word.value
        for word, usual in (
            (row.layout, Layout.CONTIGUOUS),
            (row.distribution, Distribution.OWN),
            (row.direction, Direction.FORWARD),
        )
        if word is not usual
    ]
    return " ".join(part for part in (sizes, row.dtype, *special) if part)


def coverage(found: Coverage) -> str:
    """How much was answered, and why the rest was not."""
    other = found.asked - found.answered - found.refused
    parts = [f"{found.refused} refused" if found.refused else "", f"{other} not" if other else ""]
    rest = ", ".join(part for part in parts if part)
    share = f"{100 * found.share:.0f} %"
    text = f"coverage {share}: {found.answered} of {found.asked} workloads answered"
    text = f"{text}, {rest}" if rest else text
    return f"{text}; {found.words}" if found.words else text


def tally(verdicts: Iterable[Verdict]) -> str:
    """How many of each status, the best status first, with the denominator."""
    counts = Counter(verdict.status for verdict in verdicts)
    parts = [f"{counts[status]} {status.value}" for status in reversed(Status) if counts[status]]
    return f"{', '.join(parts) or 'nothing judged'} of {counts.total()}"


def _significant(value: float) -> str:
    """Three significant digits without an exponent where that is readable."""
    if value == 0:
        return "0"
    if abs(value) >= 99.95:
        return f"{value:.0f}" if abs(value) < 1e6 else f"{value:.1e}"
    if abs(value) >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}" if abs(value) >= 0.01 else f"{value:.1e}"
