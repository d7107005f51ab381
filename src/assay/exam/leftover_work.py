"""Leftovers: what is alive and at work in a candidate's tree when nobody asks anything."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from assay.data.observations.observation import CheckMissing, LeftoverSeen, Observation
from assay.devices.device_company import DeviceProcess, in_words
from assay.devices.idle_probe import IdleProbe

_ENDING_S = 3.0  # that a driver may take to end the work of a process that was killed
_LOOKS_BESIDE_OTHERS = 5  # at a device that others use too, so far apart:
_APART_S = 0.3  # their work comes and goes, and a kernel that spins is there every time
DEVICE_CHECK = "device at rest"


def unprobed(idle_probe: IdleProbe | None) -> list[Observation]:
    """Where others were at work on the device before the candidate came."""
    if idle_probe is None or not idle_probe.busy_before:
        return []
    reason = f"other processes use it: a small piece of work waits {idle_probe.usual_us:.0f} us"
    return [CheckMissing(check=DEVICE_CHECK, reason=reason, essential=False)]


def sharing_remarks(idle_probe: IdleProbe | None) -> tuple[str, ...]:
    """What a reader of times should know of a device that others use."""
    shared = idle_probe is not None and idle_probe.busy_before
    return ("other processes use the device: times hold their turns",) if shared else ()


def left_at_work(
    idle_probe: IdleProbe, when: str, sleep: Callable[[float], None] = time.sleep
) -> list[LeftoverSeen | CheckMissing]:
    """A device that was found at work, looked at again: who left the work there?

    The candidate, where nobody else is on the device before and after a look that finds it at work.
    Where others are there every time it is unknown.
    """
    others: tuple[DeviceProcess, ...] = ()
    for look in range(_LOOKS_BESIDE_OTHERS):
        sleep(_APART_S if look else 0.0)
        before = idle_probe.others()
        busy_us = idle_probe.surely_busy_us()
        if busy_us is None:
            return []
        others = before or idle_probe.others()
        if not others:
            return [_at_work(idle_probe, busy_us, when)]
    return [_beside(others)]


def of_candidate(
    found: Sequence[LeftoverSeen], idle_probe: IdleProbe | None
) -> list[LeftoverSeen | CheckMissing]:
    """Work that was seen on the device in passing; unknown whose where others use it."""
    others = idle_probe.others() if idle_probe is not None and found else ()
    return [_beside(others)] if others else list(found)


def _at_work(idle_probe: IdleProbe, busy_us: float, when: str) -> LeftoverSeen:
    took = f"work of {idle_probe.usual_us:.0f} us had to wait {busy_us:.0f}"
    text = f"the device is at work though every call was called done: {took}"
    return LeftoverSeen(when=when, processes=0, on_device=True, text=text)


def _beside(others: Sequence[DeviceProcess]) -> CheckMissing:
    reason = f"other processes use it ({in_words(others)}), and it was at work at every look"
    return CheckMissing(check=DEVICE_CHECK, reason=reason, essential=False)


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
            missing = CheckMissing(check=DEVICE_CHECK, reason=reason, essential=False)
            return [*(o for o in seen if o not in found), missing]
        sleep(0.05)
    return list(seen)


def extra_processes(number: int, count: int) -> LeftoverSeen:
    """Processes that were alive after the calls of batch `number` had returned."""
    text = f"{count} other processes alive after the call returned"
    return LeftoverSeen(when=f"batch {number}", processes=count, running_threads=0, text=text)
