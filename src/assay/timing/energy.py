"""Energy: what one call costs in millijoules, by the device's own counter.

The rule: it is all that the device drew while one side's batches ran back to back. Idle power is
included and nothing is subtracted, and so are the pauses between batches: it compares sides that
were measured alike, and is no kernel's alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from assay.data.device import DeviceReading
from assay.sandbox.host.deadline import Deadline

_PATIENCE = 4.0  # times the wanted seconds: a counter that has not moved by then is none


class Running(Protocol):
    """One side of a comparison."""

    def run(self, length: int, warm: bool, deadline: Deadline) -> object:
        """One batch of so many calls."""
        ...


def millijoules_per_call(
    device_side: Running, length: int, reading: Callable[[], DeviceReading], seconds: float = 0.3
) -> float | None:
    """Energy over calls, of batches of `length` calls; None where the device does not report it.

    The counter moves in steps of 20 to 100 ms, so that the count begins at a step and ends at the
    first one after `seconds`.
    """
    before = reading().energy_mj
    if before is None:
        return None
    began_s, start_mj, calls = time.monotonic(), None, 0
    give_up_s = began_s + _PATIENCE * seconds
    while time.monotonic() < give_up_s:
        device_side.run(length, False, Deadline.after(_PATIENCE * seconds + 10.0))
        calls += length
        now = reading().energy_mj
        if now is None:
            return None
        if now == before:
            continue
        before = now
        if start_mj is None:
            began_s, start_mj, calls = time.monotonic(), now, 0
        elif time.monotonic() - began_s >= seconds:
            return (now - start_mj) / calls if now > start_mj else None
    return None
