"""The table of vendor peaks, `peaks.toml` beside this file.

The rule: a device whose name is not known in full has no board. A part of a name is not enough: a
GH200 is no H200, and a slice or a laptop's board is not the whole one.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from assay.data.limits import Peaks
from assay.errors import UsageError

_TABLE = Path(__file__).with_name("peaks.toml")
# What drivers call each board.
_DRIVER_NAMES = {
    "NVIDIA H200": "h200",
    "NVIDIA H100 80GB HBM3": "h100-sxm",
    "NVIDIA H100 SXM5": "h100-sxm",
    "NVIDIA H100 PCIe": "h100-pcie",
    "NVIDIA A100-SXM4-80GB": "a100",
    "NVIDIA L40S": "l40s",
    "NVIDIA GeForce RTX 4090": "rtx4090",
    "NVIDIA GeForce RTX 5090": "rtx5090",
    "NVIDIA B200": "b200",
    "AMD Instinct MI300X": "mi300x",
    "AMD Instinct MI325X": "mi325x",
    "Apple M1 Max": "m1-max",
    "Apple M1 Ultra": "m1-ultra",
    "Apple M2": "m2",
}


@cache
def boards() -> dict[str, Peaks]:
    """Every board of the table, by name."""
    entries = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return {
        name: Peaks(
            name=name,
            title=entry["title"],
            bytes_per_s=entry["memory"] * 1e9,
            flops_per_s={unit: rate * 1e12 for unit, rate in entry["rates"].items()},
            clock_mhz=entry.get("clock_mhz"),
            clock_mhz_max=entry.get("clock_mhz_max"),
            source=entry["source"],
        )
        for name, entry in entries.items()
    }


def board(name: str) -> Peaks:
    """One board; a UsageError lists the known ones."""
    found = boards().get(name)
    if found is None:
        raise UsageError(f"unknown board '{name}'; known: {', '.join(boards())}")
    return found


def board_of(device_name: str) -> str | None:
    """The board that a driver calls so; None where the table has none."""
    return _DRIVER_NAMES.get(" ".join(device_name.split()))
