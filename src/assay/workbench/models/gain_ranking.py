"""Gain ranking: what an operation costs, what it could cost, and what that is worth.

With W the time of one forward, t the time of a group of equal calls in it, and t_limit the least
time for their bytes and products (plus the launch of a kernel each):

    share p      = t / W
    limit share  = t_limit / t                  at most 1
    most speedup = t / t_limit                  at least 1
    gain         = p * (1 - 1 / most speedup)   of W, that no kernel can exceed
    bound        = 1 / (1 - gain)               of the whole model

After kernels were put back, with s the speedup of each over the operation in the model:

    predicted    = 1 / (1 - sum p * (1 - 1 / s))

The rule: the denominator is the time that passes, never the sum of kernel times. A speedup is over
the operation that the model runs, never over another kernel. What reaches 90 % of its limit is no
candidate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.data.observations.measurement import Timing

AT_LIMIT = 0.9  # share of the limit from which on nothing more is asked of an operation
LARGE_IDLE = 0.3  # share of the forward in which the device waits
BASELINE = "eager"  # the operation as the model runs it


@dataclass(frozen=True)
class Headroom:
    """What is left between an operation and its limit."""

    share: float
    limit_share: float | None  # None where no limit is known
    most_speedup: float | None
    gain: float  # share of the forward that is saved at most
    bound: float  # speedup of the whole model at most

    @property
    def at_limit(self) -> bool:
        """Whether the operation is as good as done."""
        return self.limit_share is not None and self.limit_share >= AT_LIMIT


def headroom(time_us: float, limit_us: float | None, wall_us: float) -> Headroom:
    """Of a group that takes `time_us` of every forward. Without a limit all of it might be saved.

    A time below its limit (caches can hold what the limit thinks must move) counts as the limit.
    """
    share = time_us / wall_us if wall_us > 0 else 0.0
    if limit_us is None or time_us <= 0:
        gain, reached, most = share, None, None
    else:
        reached = min(1.0, limit_us / time_us)
        most = 1.0 / reached if reached > 0 else None
        gain = share * (1.0 - reached)
    gain = min(gain, 1.0)
    return Headroom(share, reached, most, gain, 1.0 / max(1e-9, 1.0 - gain))


@dataclass(frozen=True)
class Replaced:
    """One operation of the model and the kernel that takes its place."""

    share: float
    speedup: float  # over the operation in the model
    low: float
    high: float


@dataclass(frozen=True)
class PredictedGain:
    """A speedup of the whole model with its interval."""

    speedup: float
    low: float
    high: float


def predicted(replaced: Iterable[Replaced]) -> PredictedGain:
    """What the kernels promise together."""
    known = list(replaced)
    return PredictedGain(
        _amdahl((one.share, one.speedup) for one in known),
        _amdahl((one.share, one.low) for one in known),
        _amdahl((one.share, one.high) for one in known),
    )


def _amdahl(parts: Iterable[tuple[float, float]]) -> float:
    left = 1.0 - sum(share * (1.0 - 1.0 / speedup) for share, speedup in parts)
    return 1.0 / max(1e-9, left)


def over_operation(timings: Sequence[Timing], share: float) -> Replaced | None:
    """The speedup over the operation in the model; None where it was not measured.

    Timings against other kernels, a first draft or a compiler's, say nothing about the model.
    """
    for one in timings:
        if one.baseline == BASELINE:
            return Replaced(share, one.speedup, one.speedup_low, one.speedup_high)
    return None


def difference_percent(expected: float, measured: float) -> float:
    """How far the measured speedup lies from the predicted one."""
    return 100.0 * (measured / expected - 1.0)


def idle_words(idle_share: float, accelerated: bool = True) -> str:
    """What a large idle share asks for; empty where it is small."""
    if idle_share < LARGE_IDLE:
        return ""
    if not accelerated:
        return (
            f"{100 * idle_share:.0f} % of the forward passes outside torch's operations: fewer and "
            "larger operations are worth more than a kernel"
        )
    return (
        f"the device waits for {100 * idle_share:.0f} % of the forward: CUDA graphs or fewer "
        "launches are worth more than a kernel"
    )
