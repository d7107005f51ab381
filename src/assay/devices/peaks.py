"""The table of vendor peaks, `peaks.toml` beside this file.

The rule: a device is a board of the table only where its name is one of those the table gives. A
close relative (H200 NVL, a laptop's 4090, a slice of a GPU) has other peaks.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from assay.data.limits import Peaks
from assay.errors import UsageError

_TABLE = Path(__file__).with_name("peaks.toml")


@cache
def boards() -> dict[str, Peaks]:
    """Every board of the table, by name."""
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
        for name, entry in _entries().items()
    }


def board(name: str) -> Peaks:
    """One board; a UsageError lists the known ones."""
    found = boards().get(name)
    if found is None:
        raise UsageError(f"unknown board '{name}'; known: {', '.join(boards())}")
    return found


def board_of(device_name: str) -> str | None:
    """The board that a device of this name is; None where the table does not hold it."""
    wanted = " ".join(device_name.split())
    for name, entry in _entries().items():
        if wanted in entry.get("devices", ()):
            return name
    return None


@cache
def _entries() -> dict[str, dict[str, Any]]:
    return tomllib.loads(_TABLE.read_text(encoding="utf-8"))
