"""The table of vendor peaks, `peaks.toml` beside this file."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from assay.data.limits import Peaks
from assay.errors import UsageError

_TABLE = Path(__file__).with_name("peaks.toml")


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
