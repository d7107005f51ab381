"""Pulse: does the device do something though nobody asks it to?

The rule: the judge times a small piece of work of its own. Alone on the device it takes as long as
it always did; much longer means that somebody else's work is still running.
"""

from __future__ import annotations

import statistics

from assay.devices.cuda_driver import CudaDriver

_BYTES = 32 << 20  # a fill of some ten microseconds
_CALIBRATIONS = 9
_LOOKS = 3
_SLOWER = 8.0  # a clock that idles is a fifth of the highest
_BEYOND_US = 300.0  # and so much more: less than one turn of a device that two processes share


class Pulse:
    """One device, as it is before any candidate has come."""

    def __init__(self, driver: CudaDriver) -> None:
        self._driver = driver
        driver.enter()
        self._room = driver.allocate(_BYTES)
        self._start, self._end = driver.event(), driver.event()
        self._beat_us()
        self.usual_us = statistics.median(self._beat_us() for _ in range(_CALIBRATIONS))

    def busy_us(self) -> float | None:
        """How long it took just now, where that is too long; None where the device rests.

        The quickest of a few looks counts: work that ends in between was only late.
        """
        found = min(self._beat_us() for _ in range(_LOOKS))
        late = found > max(_SLOWER * self.usual_us, self.usual_us + _BEYOND_US)
        return found if late else None

    def _beat_us(self) -> float:
        driver = self._driver
        driver.enter()
        driver.record(self._start, 0)
        driver.fill(self._room, 0, _BYTES)
        driver.record(self._end, 0)
        driver.synchronise()
        return driver.elapsed_us(self._start, self._end)
