"""IdleProbe: does the device do something though nobody asks it to?

The rule: the judge hands the device a small piece of work and waits for it, by its own clock. A
device at rest takes it at once. One that another process keeps at work, if only by one block,
makes it wait for its turn: processes share a device by turns, never side by side. How long the
work itself takes says nothing, for it fits into one turn.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from assay.devices.device_company import DeviceCompany, DeviceProcess
from assay.devices.driver import Driver

_BYTES = 1 << 16
_WARM_UP = 3
_LOOKS = 9  # at a device that may be at work; their median counts
_APART_S = 0.0007  # between two of them, so that whoever else is at work has the device again
_WINDOWS = 5  # of so many looks that all have to be late,
_WINDOWS_APART_S = (
    0.03  # so far apart: others who share the device pause, a spinning block does not
)
_SLOWER = 8.0  # than usual: a host's clock wanders
BEYOND_US = 300.0  # and so much more: less than one turn of a device that two processes share


class IdleProbe:
    """One device, as it is before any candidate has come."""

    def __init__(
        self,
        driver: Driver,
        clock_ns: Callable[[], int] = time.perf_counter_ns,
        sleep: Callable[[float], None] = time.sleep,
        company: DeviceCompany | None = None,
    ) -> None:
        self._driver = driver
        self._clock_ns = clock_ns
        self._sleep = sleep
        self._company = company
        driver.enter()
        self._room = driver.allocate(_BYTES)
        for _ in range(_WARM_UP):
            self.look_us()
        self.usual_us = self._median_us()
        self.busy_before = self.usual_us > BEYOND_US  # others are at work here

    def others(self) -> tuple[DeviceProcess, ...]:
        """Processes on the device that are neither the judge's nor a candidate's."""
        return self._company.others() if self._company is not None else ()

    def look_us(self) -> float:
        """From handing over a small piece of work to its end, just now.

        No other thread of the judge runs in between: waiting for one that computes looked like a
        device at work. With three of them a look took 24 ms by the clock, and 0.07 ms without.
        """
        driver = self._driver
        driver.enter()
        start = self._clock_ns()
        driver.fill(self._room, 0, _BYTES)
        driver.finish_small()
        return (self._clock_ns() - start) / 1e3

    def busy_us(self) -> float | None:
        """How long it takes, where that is too long; None where the device rests, or never did.

        One quick look is enough where the next batch is looked at too; a slow one is confirmed.
        """
        return self.surely_busy_us() if self._late(self.look_us()) else None

    def surely_busy_us(self) -> float | None:
        """The same by several looks over a fifth of a second, whatever the first of them says."""
        for window in range(_WINDOWS):
            self._sleep(_WINDOWS_APART_S if window else 0.0)
            found = self._median_us()
            if not self._late(found):
                return None
        return found

    def _late(self, found_us: float) -> bool:
        usual_us = self.usual_us
        return not self.busy_before and found_us > max(_SLOWER * usual_us, usual_us + BEYOND_US)

    def _median_us(self) -> float:
        found = []
        for _ in range(_LOOKS):
            self._sleep(_APART_S)
            found.append(self.look_us())
        return statistics.median(found)
