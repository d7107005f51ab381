"""The contract of a device adapter.

The rule: an adapter that is not usable says why and how to mend it; it never raises for that. What
a device does not tell is None, never a guess.
"""

from __future__ import annotations

from typing import Protocol

from assay.data.device import Calibration, Device, DeviceReading


class DeviceAdapter(Protocol):
    """One device of one kind, as this machine has it. Made without arguments it is the first.

    An adapter for another maker answers the same seven questions from its own sources:

    * ROCm: torch speaks of it as `cuda`, so `describe` reads the same properties, with
      `gcnArchName` as the architecture; `reading` asks libamd_smi for clocks, power and
      temperature; events and the calibration are those of CUDA.
    * Metal: one device, memory shared with the CPU; torch's `mps` describes little, so `describe`
      asks the system profiler; there are events (`torch.mps.Event`), and `reading` is all None,
      because clocks and power are told to root alone.
    * OpenCL: one device per platform and number; `describe` reads CL_DEVICE_* fields, `calibrate`
      times with profiling queues, `reading` is all None: the standard has no sensors.
    """

    @property
    def name(self) -> str:
        """What a user types: `cpu`, `cuda`, `cuda:1`."""
        ...

    @property
    def judges(self) -> bool:
        """True where candidates can be judged on it."""
        ...

    def at(self, index: int) -> DeviceAdapter:
        """The device of this kind with that number; a UsageError where the kind has no numbers.

        Whether that device is there is for its `available` to say.
        """
        ...

    def count(self) -> int:
        """How many of this kind the machine has; none where the kind is not available."""
        ...

    def available(self) -> str | None:
        """What is missing, in one clause with the mend; None where the device is there."""
        ...

    def describe(self) -> Device:
        """What the machine says about the device. Only asked where it is available."""
        ...

    def reading(self) -> DeviceReading:
        """Clocks, temperature, power and the rest as they are now. Reads only, never sets."""
        ...

    def peaks(self) -> str | None:
        """The board of `peaks.toml` that the device is; None where the table has no such board."""
        ...

    def calibrate(self) -> Calibration:
        """Measure it, in seconds. The caller holds the device's lease."""
        ...
