"""Gain ranking: what an operation costs, what it could cost, and what that is worth.

With W the time of one forward, t the time of a group of equal calls in it, and t_limit the least
time for their bytes and products (plus the launch of a kernel each):

    share p      = t / W
    limit share  = t_limit / t                  at most 1
    most speedup = t / t_limit                  at least 1
    gain         = p * (1 - 1 / most speedup)   of W, that no kernel can exceed
    bound        = 1 / (1 - gain)               of the whole model

After kernels were put back, with n the calls of each in a forward, a the time of the operation
alone by the judge's clock, and s the kernel's speedup over it:

    saved        = sum n * a * (1 - 1 / s)
    predicted    = W / (W - saved)

On a device W is the time for which it is busy, which the judge's clock of a device shows. A caller
waits until the host has handed everything over and the device is done:

    caller waits = W / max(host, W - saved)

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

    calls: int  # in one forward
    alone_us: float  # one call of the operation by itself, by the judge's clock
    profiled_us: float  # one call of it in the model, by the profile
    speedup: float  # over the operation in the model
    low: float
    high: float

    @property
    def saved_us(self) -> float:
        """Of one forward."""
        return self.calls * self.alone_us * (1.0 - 1.0 / self.speedup)

    @property
    def saved_range_us(self) -> tuple[float, float]:
        """By both intervals: of the speedup, and of the operation's time alone and in the model."""
        found = [
            self.calls * time_us * (1.0 - 1.0 / speedup)
            for time_us in (self.alone_us, self.profiled_us)
            for speedup in (self.low, self.high)
        ]
        return min(found), max(found)


@dataclass(frozen=True)
class ForwardTime:
    """The time of one forward that kernels can save from, with its interval."""

    us: float
    low_us: float
    high_us: float
    launch_us: float = 0.0  # of the host, which no kernel saves; 0 on a CPU


@dataclass(frozen=True)
class PredictedGain:
    """A speedup of the whole model with its interval."""

    speedup: float
    low: float
    high: float

    def meets(self, low: float, high: float) -> bool:
        """Whether the two intervals have a point in common."""
        return self.low <= high and low <= self.high


def predicted(replaced: Iterable[Replaced], forward: ForwardTime) -> PredictedGain:
    """What the kernels promise together."""
    known = list(replaced)
    least = sum(one.saved_range_us[0] for one in known)
    most = sum(one.saved_range_us[1] for one in known)
    launch = forward.launch_us
    ends = [
        _without(whole, saved, launch)
        for whole in (forward.low_us, forward.high_us)
        for saved in (least, most)
    ]
    speedup = _without(forward.us, sum(one.saved_us for one in known), launch)
    return PredictedGain(speedup, min(speedup, *ends), max(speedup, *ends))


def _without(whole_us: float, saved_us: float, launch_us: float) -> float:
    """The speedup; no forward ends before the host has handed it over."""
    left = max(whole_us - saved_us, min(launch_us, whole_us), 1e-9 * whole_us)
    return whole_us / left if left > 0 else 1.0


def over_operation(timings: Sequence[Timing], calls: int, profiled_us: float) -> Replaced | None:
    """What a kernel gains over the operation in the model; None where it was not measured.

    Timings against other kernels, a first draft or a compiler's, say nothing about the model.
    """
    for one in timings:
        if one.baseline == BASELINE:
            low, high = one.speedup_low, one.speedup_high
            return Replaced(calls, one.baseline_us, profiled_us, one.speedup, low, high)
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
