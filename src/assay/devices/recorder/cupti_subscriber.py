"""CuptiSubscriber: who is told what the driver is asked for. CUPTI has one in a process.

The rule: it begins before candidate code is loaded. Whoever ends it later is found out: CUPTI is
asked whether the callbacks are still enabled.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from assay.errors import DeviceError

Listener = Callable[[int, int], None]  # the domain, and where what is told lies

_Callback = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p
)


class CuptiSubscriber:
    """Raises DeviceError where CUPTI refuses."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self._listeners: dict[tuple[int, int], Listener] = {}
        self._callback = _Callback(self._told)
        self._handle = ctypes.c_void_p()
        self._call("cuptiSubscribe", ctypes.byref(self._handle), self._callback, None)

    def listen(self, domain: int, event: int, listener: Listener) -> None:
        """Be told of it from now on, in the thread in which it happens."""
        self._listeners[domain, event] = listener
        self._call("cuptiEnableCallback", 1, self._handle, domain, event)

    def forget(self, domain: int, event: int) -> None:
        """Be told of it no more."""
        self._call("cuptiEnableCallback", 0, self._handle, domain, event)

    def check(self, domain: int, event: int) -> None:
        """Raises DeviceError where nobody is told of it any more."""
        state = ctypes.c_uint32()
        arguments = (ctypes.byref(state), self._handle, domain, event)
        self._call("cuptiGetCallbackState", *arguments)
        if not state.value:
            raise DeviceError(f"CUPTI tells nothing of event {event} of domain {domain} any more")

    def _told(self, _data: int, domain: int, event: int, given: int) -> None:
        """Inside the driver: nothing may be raised here."""
        listener = self._listeners.get((domain, event))
        if listener is not None and given:
            listener(domain, given)

    def _call(self, name: str, *arguments: Any) -> None:
        code = getattr(self._library, name)(*arguments)
        if code:
            raise DeviceError(f"{name} failed with CUPTI error {code}")
