"""LoadWatch: how busy the machine is with other work while times are taken.

The rule: it only reads what the kernel says; what this machine does not tell stays None.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.data.measurement import MachineLoad

_STEAL = 7  # its place among the times of a processor in /proc/stat


@dataclass(frozen=True)
class _Totals:
    """Since the machine was started."""

    at_s: float
    busy: int | None  # all processor time, and the part that the hypervisor took, in ticks
    stolen: int | None
    pressure_us: int | None


@dataclass
class LoadWatch:
    """From its making on."""

    start: _Totals = field(default_factory=lambda: _totals())
    others: list[int] = field(default_factory=list)

    def look(self) -> None:
        """Count who computes, while everything of ours but this thread stands still."""
        running = _running()
        if running is not None:
            self.others.append(max(0, running - 1))

    def load(self, waited: Sequence[float]) -> MachineLoad:
        """Up to now; `waited` are the shares of known code, one a round."""
        now = _totals()
        stolen, pressure = None, None
        if now.stolen is not None and self.start.stolen is not None:
            ticks = max(1, (now.busy or 0) - (self.start.busy or 0))
            stolen = (now.stolen - self.start.stolen) / ticks
        if now.pressure_us is not None and self.start.pressure_us is not None:
            elapsed_us = max(1e-6, now.at_s - self.start.at_s) * 1e6
            pressure = (now.pressure_us - self.start.pressure_us) / elapsed_us
        return MachineLoad(
            waited=statistics.median(waited) if waited else 0.0,
            stolen=stolen,
            pressure=min(1.0, pressure) if pressure is not None else None,
            others=statistics.fmean(self.others) if self.others else None,
            processors=len(os.sched_getaffinity(0)),
        )


def _totals() -> _Totals:
    busy, stolen = _processor_ticks()
    return _Totals(time.monotonic(), busy, stolen, _pressure_us())


def _processor_ticks() -> tuple[int | None, int | None]:
    with contextlib.suppress(OSError, ValueError, IndexError):
        first = Path("/proc/stat").read_text().split("\n", 1)[0]
        times = [int(word) for word in first.split()[1:]]
        return sum(times[: _STEAL + 1]), times[_STEAL]
    return None, None


def _pressure_us() -> int | None:
    """For how long some task had no processor."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        first = Path("/proc/pressure/cpu").read_text().split("\n", 1)[0]
        return int(first.rpartition("total=")[2])
    return None


def _running() -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/stat").read_text().splitlines():
            if line.startswith("procs_running"):
                return int(line.split()[1])
    return None
