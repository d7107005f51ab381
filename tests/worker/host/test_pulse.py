"""A device that is at work though nobody asks it to, with a driver that says what it is told."""

from __future__ import annotations

from typing import cast

import pytest

from assay.devices.cuda_driver import CudaDriver
from assay.worker.host.listening import feel
from assay.worker.host.pulse import Pulse


class Scripted:
    """A driver whose fills take as long as they are told to."""

    def __init__(self, usual_us: float) -> None:
        self.next_us = [usual_us]

    def enter(self) -> None: ...

    def allocate(self, nbytes: int) -> int:
        return nbytes

    def event(self) -> int:
        return 0

    def record(self, event: int, stream: int) -> None: ...

    def fill(self, pointer: int, value: int, nbytes: int) -> None: ...

    def synchronise(self) -> None: ...

    def elapsed_us(self, start: int, end: int) -> float:
        return self.next_us.pop(0) if len(self.next_us) > 1 else self.next_us[0]


@pytest.mark.parametrize(
    ("beats_us", "busy"),
    [
        ([12.0], False),
        ([60.0], False),  # the clock idles
        ([2500.0], True),  # another process has the device half the time
        ([2500.0, 2500.0, 14.0], False),  # it ended meanwhile: it was late, and is gone
    ],
)
def test_only_what_stays_busy_is_told(beats_us: list[float], busy: bool) -> None:
    driver = Scripted(12.0)
    pulse = Pulse(cast(CudaDriver, driver))
    driver.next_us = beats_us
    found = feel(pulse, 7)
    assert bool(found) is busy
    assert all("after batch 7" in seen.when and "2500" in seen.text for seen in found)
