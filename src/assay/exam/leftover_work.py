"""Leftovers: what is alive and at work in a candidate's tree when nobody asks anything."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from assay.data.observations.observation import CheckMissing, LeftoverSeen, Observation
from assay.devices.idle_probe import IdleProbe

_ENDING_S = 3.0  # that a driver may take to end the work of a process that was killed
_DEVICE_CHECK = "device at rest"


def unprobed(idle_probe: IdleProbe | None) -> list[Observation]:
    """Where others were at work on the device before the candidate came."""
    if idle_probe is None or not idle_probe.busy_before:
        return []
    reason = f"other processes use it: a small piece of work waits {idle_probe.usual_us:.0f} us"
    return [CheckMissing(check=_DEVICE_CHECK, reason=reason, essential=False)]


def sharing_remarks(idle_probe: IdleProbe | None) -> tuple[str, ...]:
    """What a reader of times should know of a device that others use."""
    shared = idle_probe is not None and idle_probe.busy_before
    return ("other processes use the device: times hold their turns",) if shared else ()


def without_foreign_work(
    seen: Sequence[Observation],
    idle_probe: IdleProbe | None,
    sleep: Callable[[float], None] = time.sleep,
    ending_s: float = _ENDING_S,
) -> list[Observation]:
    """What was seen, once the candidate is gone: a device that is still at work was not its doing.

    The driver takes a while to end what a killed process had running.
    """
    found = [o for o in seen if isinstance(o, LeftoverSeen) and o.on_device]
    if idle_probe is None or not found:
        return list(seen)
    ends = time.monotonic() + ending_s
    while idle_probe.surely_busy_us() is not None:
        if time.monotonic() > ends:
            reason = "it is at work without the candidate, too: other processes use it"
            missing = CheckMissing(check=_DEVICE_CHECK, reason=reason, essential=False)
            return [*(o for o in seen if o not in found), missing]
        sleep(0.05)
    return list(seen)


def extra_processes(number: int, count: int) -> LeftoverSeen:
    """Processes that were alive after the calls of batch `number` had returned."""
    text = f"{count} other processes alive after the call returned"
    return LeftoverSeen(when=f"batch {number}", processes=count, running_threads=0, text=text)
