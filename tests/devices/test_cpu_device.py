"""The CPU as different machines publish it, on made-up /proc and /sys trees."""

from __future__ import annotations

import os
from pathlib import Path

from assay.data.device import CacheSizes, DeviceReading
from assay.devices.cpu_device import CpuBackend, cache_sizes, clock_mhz_max, cpu_name, memory_bytes


def put(root: Path, path: str, text: str) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def test_x86_name_is_the_first_model_name(tmp_path: Path) -> None:
    put(tmp_path, "proc/cpuinfo", "processor: 0\nmodel name\t: Maker  CPU 3\n\nmodel name: other\n")
    assert cpu_name(tmp_path) == "Maker CPU 3"


def test_arm_name_comes_from_the_part_number(tmp_path: Path) -> None:
    put(tmp_path, "proc/cpuinfo", "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd0c\n")
    assert cpu_name(tmp_path) == "Neoverse-N1"


def test_an_unknown_arm_part_is_named_by_its_numbers(tmp_path: Path) -> None:
    put(tmp_path, "proc/cpuinfo", "CPU implementer : 0x99\nCPU part : 0xfff\n")
    assert cpu_name(tmp_path) == "ARM implementer 0x99 part 0xfff"


def test_without_any_source_the_name_is_still_some_text(tmp_path: Path) -> None:
    assert cpu_name(tmp_path)


def test_caches_ignore_instructions_and_take_the_highest_level_as_last(tmp_path: Path) -> None:
    for index, level, kind, size in (
        (0, 1, "Data", "48K"),
        (1, 1, "Instruction", "32K"),
        (2, 2, "Unified", "2M"),
        (3, 4, "Unified", "1G"),
    ):
        folder = f"sys/devices/system/cpu/cpu0/cache/index{index}"
        put(tmp_path, f"{folder}/level", f"{level}\n")
        put(tmp_path, f"{folder}/type", f"{kind}\n")
        put(tmp_path, f"{folder}/size", f"{size}\n")
    expected = CacheSizes(l1d_bytes=48 * 2**10, l2_bytes=2 * 2**20, llc_bytes=2**30)
    assert cache_sizes(tmp_path) == expected


def test_what_the_machine_does_not_say_is_none(tmp_path: Path) -> None:
    assert cache_sizes(tmp_path) == CacheSizes()
    assert clock_mhz_max(tmp_path) is None


def test_clock_is_read_in_kilohertz(tmp_path: Path) -> None:
    put(tmp_path, "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3500000\n")
    assert clock_mhz_max(tmp_path) == 3500.0


def test_memory_is_the_smaller_of_machine_and_control_group(tmp_path: Path) -> None:
    put(tmp_path, "proc/meminfo", "MemTotal:       1000 kB\n")
    assert memory_bytes(tmp_path) == 1000 * 1024
    put(tmp_path, "sys/fs/cgroup/memory.max", "max\n")
    put(tmp_path, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
    assert memory_bytes(tmp_path) == 1000 * 1024
    put(tmp_path, "sys/fs/cgroup/memory.max", "4096\n")
    assert memory_bytes(tmp_path) == 4096


def test_memory_in_use_is_what_is_not_available(tmp_path: Path) -> None:
    put(tmp_path, "proc/meminfo", "MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:  400 kB\n")
    assert CpuBackend(tmp_path).reading() == DeviceReading(memory_used_bytes=600 * 1024)


def test_a_cpu_that_tells_nothing_is_read_as_nothing(tmp_path: Path) -> None:
    assert CpuBackend(tmp_path).reading() == DeviceReading()
    assert CpuBackend(tmp_path).peaks() is None


def test_this_machine_is_described() -> None:
    device = CpuBackend().describe()
    assert device.kind == "cpu"
    assert 1 <= device.cores <= (os.cpu_count() or 1)
    assert device.memory_bytes > 2**20
    assert device.name and device.architecture
