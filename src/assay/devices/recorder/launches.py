"""Launches: which kernels and graphs the driver was asked to run while it was listened to.

The rule: each has a number, and the record of a kernel holds the number of the launch that it came
from. A launch without a record is a kernel that nobody has told of. Where the runtime asks the
driver there may be two numbers, of which the records hold one. Where the judge's own launches have
none of theirs in the records, nothing is concluded from numbers.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Sequence, Set

from assay.devices.recorder.cupti_subscriber import CuptiSubscriber
from assay.errors import DeviceError

_AT_ENTER = 0  # CUPTI_API_ENTER
# By domain of CUPTI's: kernels, cooperative ones and graphs; each also for a stream of its thread.
_EVENTS = {
    1: (115, 116, 117, 307, 442, 477, 478, 480, 514, 515, 652, 653),  # the driver's
    2: (211, 214, 269, 270, 272, 311, 312, 430, 431, 505, 506),  # the runtime's
}


Launch = tuple[int, ...]  # its numbers: of the runtime, and of the driver that it asks


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
        self._heard: list[list[int]] = []
        self._under_way: dict[int, list[int]] = {}  # by thread
        self._listening: list[tuple[int, int]] = []

    def start(self) -> None:
        """Listen to what this CUPTI knows of."""
        self._heard.clear()
        self._under_way.clear()
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
        found, self._heard = self._heard, []
        return tuple(map(tuple, found))

    def stop(self) -> None:
        """Listen no more. Raises DeviceError where somebody has seen to that before."""
        if self._subscriber is None:
            return
        for domain, event in self._listening:
            self._subscriber.check(domain, event)
            self._subscriber.forget(domain, event)

    def _asked(self, _domain: int, given: int) -> None:
        call, thread = _CallData.from_address(given), threading.get_ident()
        numbers = self._under_way.get(thread)
        if call.site != _AT_ENTER:
            if numbers and numbers[0] == call.number:
                del self._under_way[thread]
        elif numbers is not None:
            numbers.append(call.number)
        else:
            self._under_way[thread] = [call.number]
            self._heard.append(self._under_way[thread])


def without_record(asked: Sequence[Launch], ours: Sequence[Launch], recorded: Set[int]) -> int:
    """How many of those that were asked for left no record; `ours` are launches that did."""

    def missing(launches: Sequence[Launch]) -> int:
        return sum(recorded.isdisjoint(numbers) for numbers in launches)

    return 0 if missing(ours) else missing(asked)
