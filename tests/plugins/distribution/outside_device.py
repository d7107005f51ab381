"""A device of another distribution: the same CPU under another name."""

from __future__ import annotations

from dataclasses import dataclass

from assay.devices.cpu_device import CpuBackend


@dataclass(frozen=True)
class OutsideDevice(CpuBackend):
    name: str = "second_cpu"

    def environment(self) -> dict[str, str]:
        return {"OUTSIDE_DEVICE": self.name}
