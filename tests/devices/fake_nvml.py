"""A stand-in for libnvidia-ml: the calls fill in what a card told, or fail as told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

UUID = "8a5e0f26-0000-1111-2222-333344445555"
PCI = "00000000:3B:00.0"
NOT_FOUND, NOT_SUPPORTED = 6, 3


@dataclass
class FakeNvml:
    """One GPU. A call named in `failing` is there and fails; one in `absent` is not there."""

    failing: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    asked: list[str] = field(default_factory=list)
    names: frozenset[str] = frozenset({f"GPU-{UUID}", PCI})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("nvml") and f"_{name}" in type(self).__dict__:
            if name in self.absent:
                raise AttributeError(name)
            return lambda *arguments: self._called(name, arguments)
        raise AttributeError(name)

    def _called(self, name: str, arguments: tuple[Any, ...]) -> int:
        self.asked.append(name)
        if name in self.failing:
            return NOT_SUPPORTED
        answered: int | None = getattr(self, f"_{name}")(*arguments)
        return answered or 0

    def _nvmlInit_v2(self) -> None: ...

    def _nvmlSystemGetDriverVersion(self, text: Any, length: Any) -> None:
        assert length.value == len(text)
        text.value = b"580.159.04"

    def _nvmlDeviceGetHandleByUUID(self, name: Any, handle: Any) -> int:
        return self._handle(name, handle)

    def _nvmlDeviceGetHandleByPciBusId_v2(self, name: Any, handle: Any) -> int:
        return self._handle(name, handle)

    def _handle(self, name: Any, handle: Any) -> int:
        if name.value.decode() not in self.names:
            return NOT_FOUND
        handle._obj.value = 0x1234
        return 0

    def _nvmlDeviceGetClockInfo(self, handle: Any, domain: Any, answer: Any) -> None:
        assert handle.value == 0x1234
        answer._obj.value = {1: 1980, 2: 3201}[domain.value]

    def _nvmlDeviceGetMaxClockInfo(self, handle: Any, domain: Any, answer: Any) -> None:
        answer._obj.value = {1: 1985, 2: 3201}[domain.value]

    def _nvmlDeviceGetTemperature(self, handle: Any, sensor: Any, answer: Any) -> None:
        assert sensor.value == 0
        answer._obj.value = 41

    def _nvmlDeviceGetPowerUsage(self, handle: Any, answer: Any) -> None:
        answer._obj.value = 123_500

    def _nvmlDeviceGetTotalEnergyConsumption(self, handle: Any, answer: Any) -> None:
        answer._obj.value = 2**40

    def _nvmlDeviceGetCurrentClocksEventReasons(self, handle: Any, answer: Any) -> None:
        answer._obj.value = 0x4

    def _nvmlDeviceGetCurrentClocksThrottleReasons(self, handle: Any, answer: Any) -> None:
        answer._obj.value = 0x1

    def _nvmlDeviceGetComputeRunningProcesses_v3(
        self, handle: Any, count: Any, answer: Any
    ) -> None:
        assert count._obj.value >= 2
        count._obj.value = 2
        answer._obj[0].pid, answer._obj[0].memory = 483, 30 << 30
        answer._obj[1].pid, answer._obj[1].memory = 548, 2**64 - 1

    def _nvmlDeviceGetComputeRunningProcesses_v2(
        self, handle: Any, count: Any, answer: Any
    ) -> None:
        count._obj.value = 1
        answer._obj[0].pid, answer._obj[0].memory = 483, 30 << 30

    def _nvmlDeviceGetMemoryInfo(self, handle: Any, answer: Any) -> None:
        answer._obj.total, answer._obj.free, answer._obj.used = 100, 40, 60
