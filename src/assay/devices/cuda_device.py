"""CUDA devices, seen through torch and the driver.

The rule: this adapter describes and measures the device and says what is missing. It is asked in
the judge's own process, never in one that forks.
"""

from __future__ import annotations

import importlib.util
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.data.device import CacheSizes, Calibration, Device, DeviceReading
from assay.data.limits import Peaks
from assay.devices import nvml
from assay.devices.device_adapter import DeviceBackend
from assay.devices.device_company import DeviceProcess
from assay.devices.driver import Driver
from assay.devices.nvml import GpuAddress, NvmlGpu
from assay.devices.peaks import board, board_of

_PASSED_ON = ("LD_LIBRARY_PATH", "CUDA_DEVICE_ORDER")  # where libraries are, what numbers mean
_ASKED_FOR = re.compile(
    r"Torch not compiled with CUDA enabled|Found no NVIDIA driver|No CUDA GPUs are available"
    r"|No CUDA runtime is found|CUDA_HOME environment variable is not set"
    r"|[Ee]xpected .{0,40}\bcuda\b.{0,40} (?:but|got|device)|must be (?:a )?CUDA tensors?"
    r"|(?:must|should) be on (?:the )?(?:CUDA|GPU)|Pointer argument .* cannot be accessed"
)


@dataclass(frozen=True)
class CudaBackend(DeviceBackend):
    """One CUDA device that torch sees, by torch's number."""

    index: int = 0

    torch_device = "cuda"
    accelerator = "assay.devices.cuda_accelerator:CudaAccelerator"

    @property
    def name(self) -> str:
        """The first is plain `cuda`."""
        return f"cuda:{self.index}" if self.index else "cuda"

    def at(self, index: int) -> DeviceBackend:
        """Another GPU, by torch's number."""
        return CudaBackend(index)

    def count(self) -> int:
        """What torch sees, which CUDA_VISIBLE_DEVICES may narrow."""
        if CudaBackend().available() is not None:
            return 0
        import torch

        return torch.cuda.device_count()

    def available(self) -> str | None:
        """A torch built for CUDA, and a device of this number that it can reach."""
        if importlib.util.find_spec("torch") is None:
            return "torch is not installed: pip install torch"
        import torch

        if torch.version.cuda is None:
            return (
                f"torch {torch.__version__} is built without CUDA: install a CUDA build of torch "
                "(https://pytorch.org/get-started/locally)"
            )
        if not torch.cuda.is_available():
            return f"torch {torch.__version__} finds no CUDA device: check the driver (nvidia-smi)"
        seen = torch.cuda.device_count()
        if self.index >= seen:
            last = f"; the last is cuda:{seen - 1}" if seen > 1 else ": say cuda"
            return f"torch sees {seen} CUDA device{'s' if seen > 1 else ''}{last}"
        return None

    def describe(self) -> Device:
        """What the driver tells torch, and the highest clock, which it tells only itself."""
        seen = self._properties()
        clock_khz = getattr(seen, "clock_rate", None)
        uuid = address_of(seen).uuid
        return Device(
            kind="cuda",
            name=seen.name,
            architecture=f"sm_{seen.major}{seen.minor}",
            cores=seen.multi_processor_count,
            memory_bytes=seen.total_memory,
            caches=CacheSizes(l2_bytes=seen.L2_cache_size, llc_bytes=seen.L2_cache_size),
            clock_mhz_max=self._gpu().sm_clock_mhz_max()
            or (clock_khz / 1000 if clock_khz else None),
            uuid=f"GPU-{uuid}" if uuid else None,
            driver=nvml.driver_version(nvml.library()),
        )

    def reading(self) -> DeviceReading:
        """Through the driver's library."""
        return self._gpu().reading()

    def processes(self) -> tuple[DeviceProcess, ...] | None:
        """Through the driver's library."""
        return self._gpu().processes()

    def memory_free_bytes(self) -> int | None:
        """Through the driver's library."""
        return self._gpu().memory_free_bytes()

    def peaks(self) -> Peaks | None:
        """By the name the driver gives the device."""
        found = board_of(self._properties().name)
        return board(found) if found else None

    def calibrate(self) -> Calibration:
        """Through torch, between events."""
        from assay.devices.calibration.calibrate_cuda import calibrate

        return calibrate(self.index, self.describe(), self._gpu().reading)

    def device_files(self) -> tuple[str, ...]:
        """What the driver's library opens."""
        found = sorted(Path("/dev").glob("nvidia*"))
        return tuple(str(path) for path in found if path.is_char_device())

    def environment(self) -> dict[str, str]:
        """The candidate's process sees this device alone, as its first.

        Where nothing narrows what torch sees here, the first needs no word there.
        """
        given = os.environ.get("CUDA_VISIBLE_DEVICES")
        visible = given.split(",") if given else []
        found = {name: os.environ[name] for name in _PASSED_ON if os.environ.get(name)}
        if self.index < len(visible):
            found["CUDA_VISIBLE_DEVICES"] = visible[self.index].strip()
        elif self.index:
            found["CUDA_VISIBLE_DEVICES"] = str(self.index)
        return found

    def driver(self) -> Driver:
        """Its primary context."""
        from assay.devices.cuda_driver import CudaDriver

        return CudaDriver(self.index)

    def asked_for(self, message: str) -> str | None:
        """In the words of torch, Triton and those who check their arguments."""
        return "a CUDA device" if _ASKED_FOR.search(message) else None

    def _gpu(self) -> NvmlGpu:
        return nvml.gpu(address_of(self._properties()))

    def _properties(self) -> Any:
        import torch

        return torch.cuda.get_device_properties(self.index)


def address_of(properties: Any) -> GpuAddress:
    """How the driver's library finds the device that torch describes so."""
    uuid = str(getattr(properties, "uuid", "") or "").removeprefix("GPU-")
    places = [getattr(properties, f"pci_{part}_id", None) for part in ("domain", "bus", "device")]
    if not all(isinstance(place, int) for place in places):
        return GpuAddress(uuid=uuid or None)
    domain, bus, slot = places
    return GpuAddress(uuid=uuid or None, pci=f"{domain:08X}:{bus:02X}:{slot:02X}.0")
