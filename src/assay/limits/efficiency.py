"""Efficiency: how near a measured time comes to what the board allows.

The rule: a time below its floor is a violation that is said, never a score above one. The measures
that others use are here under their own names: the SOL score of SOL-ExecBench, the IOU and MFU of
KernelBench-X.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.data.limits import Peaks, TaskLimits


@dataclass(frozen=True)
class Efficiency:
    """One time against the floor of its task."""

    sol_fraction: float  # floor over time, at most 1
    violation: bool  # the time lies below the floor
    beats_memory: bool  # below the bytes' own floor: it has not read its inputs
    bytes_per_s: float  # achieved, of the bytes that must move
    flops_per_s: float  # achieved, of the products that must be made
    iou: float  # achieved bandwidth over the board's
    mfu: float  # the products' least time over the time
    sol_score: float | None  # None without a baseline, or where that one beats the floor


def efficiency(
    limits: TaskLimits, peaks: Peaks, time_us: float, baseline_us: float | None = None
) -> Efficiency:
    """The measures of a time; times are of cold caches, whose bytes do move."""
    seconds = 1e-6 * time_us
    nbytes = limits.bytes_read + limits.bytes_written
    achieved = nbytes / seconds
    return Efficiency(
        sol_fraction=min(1.0, limits.sol_us / time_us),
        violation=time_us < limits.sol_us,
        beats_memory=time_us < limits.memory_us,
        bytes_per_s=achieved,
        flops_per_s=sum(limits.flops.values()) / seconds,
        iou=achieved / peaks.bytes_per_s,
        mfu=limits.arithmetic_us / time_us,
        sol_score=sol_score(time_us, baseline_us, limits.sol_us),
    )


def compulsory_us(limits: TaskLimits, peaks: Peaks, cache_bytes: int) -> float:
    """The time for those bytes that no cache can have held or can still hold.

    Inputs are new with every call of a cold measurement: all of them come from memory. Parameters
    and buffers may have stayed in the cache since the call before, and results may still lie in it
    when the clock stops: of these only what is beyond the cache's size has to move.

        (read - kept + max(0, kept + written - cache)) / bandwidth
    """
    given = limits.bytes_read - limits.bytes_kept
    beyond = max(0, limits.bytes_kept + limits.bytes_written - cache_bytes)
    return 1e6 * (given + beyond) / peaks.bytes_per_s


def sol_score(time_us: float, baseline_us: float | None, sol_us: float) -> float | None:
    """1 at the floor, 0.5 at the baseline, towards 0 beyond."""
    if baseline_us is None or baseline_us <= sol_us:
        return None
    if time_us <= sol_us:
        return 1.0
    return 1.0 / (1.0 + (time_us - sol_us) / (baseline_us - sol_us))
