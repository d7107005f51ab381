"""The host's clock as a burst timer: what it times has ended when the call returns."""

from __future__ import annotations

import time
from dataclasses import dataclass

from assay.devices.burst import Work


@dataclass(frozen=True)
class HostTimer:
    """The host's clock, for devices that have ended when the call returns: the CPU."""

    def burst_us(self, work: Work, calls: int, behind: Work | None = None) -> float:
        """The time the calls took."""
        if behind is not None:
            behind()
        start_ns = time.perf_counter_ns()
        for _ in range(calls):
            work()
        return (time.perf_counter_ns() - start_ns) / 1e3

    def wait(self) -> None:
        """Nothing is ever queued."""
