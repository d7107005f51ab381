"""Launches: which kernels and graphs the driver was asked to run while it was listened to.

The rule: each has a number, and the record of a kernel holds the number of the launch that it came
from. A launch without a record is a kernel that nobody has told of. Which interface of the driver's
gives the number that is in the records, the judge's own launches show: the other one is left out.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from assay.devices.recorder.cupti_subscriber import CuptiSubscriber
from assay.errors import DeviceError

_AT_ENTER = 0  # CUPTI_API_ENTER
# By domain of CUPTI's: kernels, cooperative ones and graphs; each also for a stream of its thread.
_EVENTS = {
    1: (115, 116, 117, 307, 442, 477, 478, 480, 514, 515, 652, 653),  # the driver's
    2: (211, 214, 269, 270, 272, 311, 312, 430, 431, 505, 506),  # the runtime's
}


@dataclass(frozen=True)
class Launch:
    """One that was asked for."""

    domain: int
    number: int


class _CallData(ctypes.Structure):
    _fields_ = (
        ("site", ctypes.c_uint32),
        ("function", ctypes.c_void_p),
        ("parameters", ctypes.c_void_p),
        ("returned", ctypes.c_void_p),
        ("symbol", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("context_number", ctypes.c_uint32),
        ("data", ctypes.c_void_p),
        ("number", ctypes.c_uint32),
    )


class Launches:
    """Those since `start`, of all threads; nothing where CUPTI cannot be asked."""

    def __init__(self, subscriber: CuptiSubscriber | None) -> None:
        self._subscriber = subscriber
        self._heard: list[Launch] = []
        self._listening: list[tuple[int, int]] = []

    def start(self) -> None:
        """Listen to what this CUPTI knows of."""
        self._heard.clear()
        self._listening.clear()
        if self._subscriber is None:
            return
        for domain, events in _EVENTS.items():
            for event in events:
                with contextlib.suppress(DeviceError):  # an older one does not know all of them
                    self._subscriber.listen(domain, event, self._asked)
                    self._listening.append((domain, event))

    def taken(self) -> tuple[Launch, ...]:
        """What was heard since the last time."""
        found, self._heard = tuple(self._heard), []
        return found

    def stop(self) -> None:
        """Listen no more. Raises DeviceError where somebody has seen to that before."""
        if self._subscriber is None:
            return
        for domain, event in self._listening:
            self._subscriber.check(domain, event)
            self._subscriber.forget(domain, event)

    def _asked(self, domain: int, given: int) -> None:
        call = _CallData.from_address(given)
        if call.site == _AT_ENTER:
            self._heard.append(Launch(domain, call.number))


def without_record(
    asked: Sequence[Launch], ours: Sequence[Launch], recorded: Collection[int]
) -> int:
    """How many of those that were asked for left no record; `ours` are launches that did."""
    other = {one.domain for one in ours if one.number not in recorded}
    return len({one for one in asked if one.domain not in other and one.number not in recorded})
