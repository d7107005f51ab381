"""CUPTI's callbacks, told of what a test makes happen."""

from __future__ import annotations

import ctypes
from typing import Any

from assay.devices.recorder.launches import _CallData
from assay.devices.recorder.loaded_modules import _Module, _Resource


class FakeCupti:
    """Keeps the callback; `load` and `launch` are what the driver does."""

    def __init__(
        self, refuses: str = "", unknown: frozenset[tuple[int, int]] = frozenset()
    ) -> None:
        self._refuses, self._unknown = refuses, unknown
        self._callback: Any = None
        self.enabled: set[tuple[int, int]] = set()

    def cuptiSubscribe(self, handle: Any, callback: Any, data: Any) -> int:
        self._callback = callback
        return 39 if self._refuses == "subscribe" else 0

    def cuptiEnableCallback(self, on: int, handle: Any, domain: int, event: int) -> int:
        if (domain, event) == self._unknown:
            return 1
        (self.enabled.add if on else self.enabled.discard)((domain, event))
        return 0

    def cuptiGetCallbackState(self, state: Any, handle: Any, domain: int, event: int) -> int:
        state._obj.value = (domain, event) in self.enabled
        return 0

    def load(self, data: bytes, domain: int = 3, what: int = 6) -> None:
        """A module."""
        held = ctypes.create_string_buffer(data, len(data))
        module = _Module(7, len(data), ctypes.addressof(held))
        given = _Resource(None, None, ctypes.addressof(module))
        self._callback(None, domain, what, ctypes.addressof(given))

    def launch(self, domain: int, event: int, number: int) -> None:
        """A call of the driver's, when it begins and when it ends."""
        for site in (0, 1):
            self.tell(domain, event, number, site)

    def tell(self, domain: int, event: int, number: int, site: int) -> None:
        """One of these, where somebody listens."""
        if (domain, event) in self.enabled:
            call = _CallData(site=site, number=number)
            self._callback(None, domain, event, ctypes.addressof(call))
