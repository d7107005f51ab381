"""The contract of a device adapter.

The rule: an adapter that is not usable says why and how to mend it; it never raises for that.
"""

from __future__ import annotations

from typing import Protocol

from assay.data.device import Device


class DeviceAdapter(Protocol):
    """One kind of device, as this machine has it."""

    name: str
    judges: bool  # True where candidates can be judged on it

    def available(self) -> str | None:
        """What is missing, in one clause with the mend; None where the device is there."""
        ...

    def describe(self) -> Device:
        """What the machine says about the device. Only asked where it is available."""
        ...
