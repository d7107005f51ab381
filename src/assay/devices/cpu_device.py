"""The CPU, described from what Linux publishes in /proc and /sys.

The rule: what the machine does not say is None, never a guess.
"""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path

from assay.data.device import CacheSizes, Calibration, Device, DeviceReading
from assay.devices.device_adapter import DeviceBackend
from assay.errors import UsageError

# ARM cores carry no name in /proc/cpuinfo, only an implementer and a part number.
_ARM_PARTS = {
    ("0x41", "0xd03"): "Cortex-A53",
    ("0x41", "0xd08"): "Cortex-A72",
    ("0x41", "0xd0b"): "Cortex-A76",
    ("0x41", "0xd0c"): "Neoverse-N1",
    ("0x41", "0xd40"): "Neoverse-V1",
    ("0x41", "0xd49"): "Neoverse-N2",
    ("0x41", "0xd4f"): "Neoverse-V2",
    ("0x41", "0xd83"): "Neoverse-V3",
    ("0x41", "0xd8e"): "Neoverse-N3",
    ("0xc0", "0xac3"): "Ampere-1",
    ("0xc0", "0xac4"): "Ampere-1A",
}
_SUFFIXES = {"K": 2**10, "M": 2**20, "G": 2**30}
_NO_LIMIT = 2**60  # cgroup v1 writes a huge number where it means "no limit"


@dataclass(frozen=True)
class CpuBackend(DeviceBackend):
    """This machine's processor. `root` is where /proc and /sys are mounted.

    It has no peaks: they follow from cores and clocks that vary.
    """

    root: Path = Path("/")
    name: str = "cpu"

    def at(self, index: int) -> DeviceBackend:
        """All cores are one device."""
        if index:
            raise UsageError(f"unknown device 'cpu:{index}'; the CPU is one device: say cpu")
        return self

    def describe(self) -> Device:
        """Name, usable cores, memory within our limits, caches and the highest clock."""
        return Device(
            kind=self.name,
            name=cpu_name(self.root),
            architecture=platform.machine(),
            cores=usable_cores(),
            memory_bytes=memory_bytes(self.root),
            caches=cache_sizes(self.root),
            clock_mhz_max=clock_mhz_max(self.root),
        )

    def reading(self) -> DeviceReading:
        """The memory in use; a CPU's sensors differ from maker to maker and are not read."""
        return DeviceReading(memory_used_bytes=memory_used_bytes(self.root))

    def calibrate(self) -> Calibration:
        """In this process, with the threads torch was given."""
        from assay.devices.calibration.calibrate import (
            calibrate,  # imports torch, which takes seconds
        )

        return calibrate(self.describe())


def cpu_name(root: Path) -> str:
    """The model name; on ARM the name of the part; else the best the system offers."""
    fields = _cpuinfo(root)
    part = (fields.get("CPU implementer", ""), fields.get("CPU part", ""))
    named = fields.get("model name") or _ARM_PARTS.get(part)
    if named:
        return " ".join(named.split())
    if part[1]:
        return f"ARM implementer {part[0]} part {part[1]}"
    return platform.processor() or platform.machine() or "unknown CPU"


def usable_cores() -> int:
    """Cores this process may run on, which is fewer than the machine's inside a container."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_bytes(root: Path) -> int:
    """Physical memory, or the limit of the control group where that is smaller."""
    physical = _meminfo_bytes(root, "MemTotal") or _sysconf_memory()
    limits = [
        _read(root / "sys/fs/cgroup/memory.max"),
        _read(root / "sys/fs/cgroup/memory/memory.limit_in_bytes"),
    ]
    numbers = [int(text) for text in limits if text and text.isdigit()]
    return min([physical, *(n for n in numbers if 0 < n < _NO_LIMIT)])


def memory_used_bytes(root: Path) -> int | None:
    """Of the whole machine: what a new program could not have without swapping."""
    total, available = _meminfo_bytes(root, "MemTotal"), _meminfo_bytes(root, "MemAvailable")
    return total - available if total is not None and available is not None else None


def cache_sizes(root: Path) -> CacheSizes:
    """Sizes as the first core sees them; the last level is the highest one listed."""
    sizes: dict[int, int] = {}
    for index in sorted((root / "sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind = _read(index / "level"), _read(index / "type")
        size = _parse_size(_read(index / "size"))
        if level and level.isdigit() and size and kind != "Instruction":
            sizes[int(level)] = size
    return CacheSizes(
        l1d_bytes=sizes.get(1),
        l2_bytes=sizes.get(2),
        llc_bytes=sizes[max(sizes)] if sizes else None,
    )


def clock_mhz_max(root: Path) -> float | None:
    """The highest clock the driver allows; virtual machines mostly do not say."""
    text = _read(root / "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
    return int(text) / 1000 if text and text.isdigit() else None


def _cpuinfo(root: Path) -> dict[str, str]:
    """The fields of the first processor listed."""
    fields: dict[str, str] = {}
    for line in (_read(root / "proc/cpuinfo") or "").splitlines():
        key, colon, value = line.partition(":")
        if colon:
            fields.setdefault(key.strip(), value.strip())
    return fields


def _meminfo_bytes(root: Path, field: str) -> int | None:
    text = _read(root / "proc/meminfo") or ""
    match = re.search(rf"^{field}:\s+(\d+) kB", text, re.MULTILINE)
    return int(match[1]) * 1024 if match else None


def _parse_size(text: str | None) -> int | None:
    match = re.fullmatch(r"(\d+)([KMG]?)", text or "")
    return int(match[1]) * _SUFFIXES.get(match[2], 1) if match else None


def _sysconf_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _read(path: Path) -> str | None:
    """The stripped text of a small system file, or None where it is not there or not for us."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
