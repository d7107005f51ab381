"""The contract of a device.

The rule: whatever the rest of Assay does differently for a device, it asks here; nobody else
compares a device's name. A device that is not usable says why and how to mend it; it never raises
for that. What a device does not tell is None, never a guess.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from assay.data.device import Calibration, Device, DeviceReading
from assay.data.limits import Peaks
from assay.devices.device_company import DeviceProcess
from assay.devices.driver import Driver
from assay.errors import DeviceError, UsageError


class DeviceBackend(ABC):
    """One device of one kind, as this machine has it. Made without arguments it is the first.

    What a class leaves out is what a device needs whose memory and whose clock are the host's.

    One for another maker answers the same questions from its own sources:

    * ROCm: torch speaks of it as `cuda`, so `describe` reads the same properties, with
      `gcnArchName` as the architecture; `reading` asks libamd_smi for clocks, power and
      temperature; events and the calibration are those of CUDA.
    * Metal: one device, memory shared with the CPU; torch's `mps` describes little, so `describe`
      asks the system profiler; there are events (`torch.mps.Event`), and `reading` is all None,
      because clocks and power are told to root alone.
    * OpenCL: one device per platform and number; `describe` reads CL_DEVICE_* fields, `calibrate`
      times with profiling queues, `reading` is all None: the standard has no sensors.
    """

    judges: bool = True  # whether candidates can be judged on it
    torch_device: str = "cpu"  # what the candidate's own torch calls it
    accelerator: str = (
        ""  # `module:Class` of an Accelerator, which holds no secret: see `driver.py`
    )

    @property
    def accelerated(self) -> bool:
        """Whether kernels run on a device with a memory and a clock of its own.

        Then tensors lie there, calls are timed behind a gate, and the driver records the kernels;
        else tensors lie in shared memory, the host's clock times, and threads are sampled.
        """
        return bool(self.accelerator)

    @property
    @abstractmethod
    def name(self) -> str:
        """What a user types: `cpu`, `cuda`, `cuda:1`."""

    def at(self, index: int) -> DeviceBackend:
        """The device of this kind with that number; a UsageError where the kind has no numbers.

        Whether that device is there is for its `available` to say.
        """
        if index:
            raise UsageError(f"unknown device '{self.name}:{index}'; there is one: say {self.name}")
        return self

    def count(self) -> int:
        """How many of this kind the machine has; none where the kind is not available."""
        return 1 if self.available() is None else 0

    def available(self) -> str | None:
        """What is missing, in one clause with the mend; None where the device is there."""
        return None

    @abstractmethod
    def describe(self) -> Device:
        """What the machine says about the device. Only asked where it is available."""

    def reading(self) -> DeviceReading:
        """Clocks, temperature, power and the rest as they are now. Reads only, never sets."""
        return DeviceReading()

    def processes(self) -> tuple[DeviceProcess, ...] | None:
        """Who uses the device's memory now, ours and others; None where that is not told."""
        return None

    def memory_free_bytes(self) -> int | None:
        """Of the device's own memory, whoever uses the rest; None where that is not told."""
        return None

    def peaks(self) -> Peaks | None:
        """What its maker says that it can do; None where that is not known."""
        return None

    @abstractmethod
    def calibrate(self) -> Calibration:
        """Measure it, in seconds. The caller holds the device's lease."""

    def device_files(self) -> tuple[str, ...]:
        """Character devices that its driver opens, which the sandbox then holds."""
        return ()

    def environment(self) -> dict[str, str]:
        """Variables that the candidate's process needs to reach this device and no other."""
        return {}

    def driver(self) -> Driver:
        """The judge's own hold on the device. The warm parent must have started before."""
        raise DeviceError(f"{self.name} has no driver: its memory is the host's")

    def asked_for(self, message: str) -> str | None:
        """What a kernel asks for, where its message tells that it needs a device of this kind."""
        return None
