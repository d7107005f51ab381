"""Readings of NVIDIA GPUs through the driver's own library, libnvidia-ml.

The rule: it only reads, and every failure is None. The library comes with the driver, so nothing
has to be installed for it.
"""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from functools import cache
from typing import Any

from assay.data.device import DeviceReading
from assay.devices.device_company import DeviceProcess

_LIBRARY = "libnvidia-ml.so.1"
_SUCCESS = 0
_CLOCK_SM, _CLOCK_MEMORY = 1, 2
_TEMPERATURE_GPU = 0
_VERSION_BYTES = 80
_MOST_PROCESSES = 1024
_NOT_TOLD = 2**64 - 1  # for the memory of a process
_PROCESS_CALLS = (
    "nvmlDeviceGetComputeRunningProcesses_v3",
    "nvmlDeviceGetComputeRunningProcesses_v2",
)
_REASONS = {
    0x001: "idle",
    0x002: "application clocks",
    0x004: "software power cap",
    0x008: "hardware slowdown",
    0x010: "sync boost",
    0x020: "software thermal slowdown",
    0x040: "hardware thermal slowdown",
    0x080: "hardware power brake",
    0x100: "display clocks",
}


class _Memory(ctypes.Structure):
    """nvmlMemory_t."""

    _fields_ = (
        ("total", ctypes.c_ulonglong),
        ("free", ctypes.c_ulonglong),
        ("used", ctypes.c_ulonglong),
    )


class _ProcessInfo(ctypes.Structure):
    """nvmlProcessInfo_t, as the second and the third version of the call fill it in."""

    _fields_ = (
        ("pid", ctypes.c_uint),
        ("memory", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    )


@dataclass(frozen=True)
class GpuAddress:
    """How to find one GPU: its UUID without prefix, or its place on the PCI bus."""

    uuid: str | None = None
    pci: str | None = None  # as in 00000000:3B:00.0


class NvmlGpu:
    """One GPU as the driver sees it. `library` is libnvidia-ml, initialised, or None."""

    def __init__(self, library: Any, address: GpuAddress) -> None:
        self._library = library
        self._handle = _handle(library, address)

    @property
    def found(self) -> bool:
        """Whether the driver knows a GPU of that address."""
        return self._handle is not None

    def reading(self) -> DeviceReading:
        """Everything the driver tells at this moment."""
        power_mw = self._number("nvmlDeviceGetPowerUsage", ctypes.c_uint)
        memory = self._ask("nvmlDeviceGetMemoryInfo", _Memory())
        return DeviceReading(
            sm_clock_mhz=self._clock("nvmlDeviceGetClockInfo", _CLOCK_SM),
            memory_clock_mhz=self._clock("nvmlDeviceGetClockInfo", _CLOCK_MEMORY),
            temperature_c=self._number(
                "nvmlDeviceGetTemperature", ctypes.c_uint, ctypes.c_uint(_TEMPERATURE_GPU)
            ),
            power_w=None if power_mw is None else power_mw / 1000,
            energy_mj=self._number("nvmlDeviceGetTotalEnergyConsumption", ctypes.c_ulonglong),
            throttle_reasons=throttle_words(self._reasons()),
            memory_used_bytes=None if memory is None else memory.used,
        )

    def sm_clock_mhz_max(self) -> float | None:
        """The highest clock of the multiprocessors."""
        return self._clock("nvmlDeviceGetMaxClockInfo", _CLOCK_SM)

    def memory_free_bytes(self) -> int | None:
        """Of the whole device, whoever uses the rest."""
        memory = self._ask("nvmlDeviceGetMemoryInfo", _Memory())
        return None if memory is None else int(memory.free)

    def processes(self) -> tuple[DeviceProcess, ...] | None:
        """Who computes on it, by process ids as the driver tells them here."""
        for name in _PROCESS_CALLS:
            count, found = ctypes.c_uint(_MOST_PROCESSES), (_ProcessInfo * _MOST_PROCESSES)()
            if self._ask(name, found, ctypes.byref(count)) is not None:
                told = found[: min(count.value, _MOST_PROCESSES)]
                return tuple(
                    DeviceProcess(one.pid, None if one.memory == _NOT_TOLD else one.memory)
                    for one in told
                )
        return None

    def _reasons(self) -> int | None:
        """Drivers before 535 know the call by its older name only."""
        for name in (
            "nvmlDeviceGetCurrentClocksEventReasons",
            "nvmlDeviceGetCurrentClocksThrottleReasons",
        ):
            reasons = self._number(name, ctypes.c_ulonglong)
            if reasons is not None:
                return reasons
        return None

    def _clock(self, name: str, domain: int) -> int | None:
        return self._number(name, ctypes.c_uint, ctypes.c_uint(domain))

    def _number(self, name: str, kind: type[Any], *arguments: Any) -> int | None:
        answer = self._ask(name, kind(), *arguments)
        return None if answer is None else int(answer.value)

    def _ask(self, name: str, answer: Any, *arguments: Any) -> Any:
        """`answer`, filled in by the call of that name; None where it failed."""
        if self._handle is None:
            return None
        return _call(self._library, name, self._handle, *arguments, answer=answer)


def gpu(address: GpuAddress) -> NvmlGpu:
    """The GPU of that address, through the library of this machine's driver."""
    return NvmlGpu(library(), address)


def library() -> Any:
    """libnvidia-ml, initialised in this process; None where there is none or it refuses."""
    return _initialised(os.getpid())  # a fork inherits the library but not its connection


@cache
def _initialised(process: int) -> Any:
    try:
        loaded = ctypes.CDLL(_LIBRARY)
    except OSError:
        return None
    return loaded if _call(loaded, "nvmlInit_v2") is not None else None


def driver_version(library: Any) -> str | None:
    """The driver's version, as `nvidia-smi` shows it."""
    text = ctypes.create_string_buffer(_VERSION_BYTES)
    length = ctypes.c_uint(_VERSION_BYTES)
    if _call(library, "nvmlSystemGetDriverVersion", text, length) is None:
        return None
    return text.value.decode("ascii", "replace") or None


def throttle_words(reasons: int | None) -> tuple[str, ...] | None:
    """The bits of a mask as words, lowest first; a bit without a word keeps its number."""
    if reasons is None:
        return None
    bits = [1 << place for place in range(reasons.bit_length()) if reasons >> place & 1]
    return tuple(_REASONS.get(bit, f"reason {bit:#x}") for bit in bits)


def _handle(library: Any, address: GpuAddress) -> Any:
    """By UUID, whole or a part of a GPU; else by place."""
    names: list[tuple[str, str]] = []
    if address.uuid:
        by_uuid = "nvmlDeviceGetHandleByUUID"
        names += [(by_uuid, f"GPU-{address.uuid}"), (by_uuid, f"MIG-{address.uuid}")]
    if address.pci:
        names.append(("nvmlDeviceGetHandleByPciBusId_v2", address.pci))
    for call, name in names:
        text = ctypes.c_char_p(name.encode("ascii", "replace"))
        handle = _call(library, call, text, answer=ctypes.c_void_p())
        if handle is not None:
            return handle
    return None


def _call(library: Any, name: str, *arguments: Any, answer: Any = None) -> Any:
    """`answer` as the call left it (True where it leaves none); None where anything failed."""
    function = getattr(library, name, None)
    if function is None:
        return None
    filled = () if answer is None else (ctypes.byref(answer),)
    if function(*arguments, *filled) != _SUCCESS:
        return None
    return True if answer is None else answer
