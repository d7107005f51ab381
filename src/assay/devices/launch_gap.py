"""LaunchGap: what the device needs from one small piece of work to the next, in this process.

The rule: it is measured before candidate code is loaded, on the stream that calls will be timed on.
It differs from process to process by a tenth of a microsecond and stays as long as the process
lives, so that it can be taken off the difference between two of them.
"""

from __future__ import annotations

import ctypes
import mmap
import statistics

from assay.devices.driver import Driver

_PIECES = 96
_BYTES = 1 << 16  # a fill as long as the launch of a kernel
_LOOKS = 5  # in a row that have to agree,
_AGREEMENT = 0.01
_MOST = 120  # for a clock that has idled rises for some ten milliseconds


class LaunchGap:
    """One process's."""

    def __init__(self, driver: Driver, stream: int) -> None:
        self._driver = driver
        self._stream = stream
        self._page = mmap.mmap(-1, mmap.PAGESIZE)
        self._word = ctypes.c_uint32.from_buffer(self._page)
        self._gate = driver.register(ctypes.addressof(self._word), mmap.PAGESIZE)
        self._room = driver.allocate(_BYTES)
        self._start, self._end = driver.event(), driver.event()

    def picoseconds(self) -> int:
        """Of one piece; 0 where looks do not come to agree."""
        looks: list[float] = []
        for number in range(1, _MOST + 1):
            looks.append(self._look_us(number))
            last = looks[-_LOOKS:]
            if len(last) == _LOOKS and max(last) - min(last) <= _AGREEMENT * min(last):
                return int(1e6 * statistics.median(last))
        return 0

    def _look_us(self, number: int) -> float:
        """Everything is queued before the first piece may run."""
        driver, stream = self._driver, self._stream
        driver.wait_value(stream, self._gate, number)
        try:
            driver.fill_in(stream, self._room, 0, _BYTES)
            driver.record(self._start, stream)
            for _ in range(_PIECES):
                driver.fill_in(stream, self._room, 0, _BYTES)
            driver.record(self._end, stream)
        finally:
            self._word.value = number  # whatever failed: nothing may wait for ever
        driver.synchronise()
        return driver.elapsed_us(self._start, self._end) / _PIECES
