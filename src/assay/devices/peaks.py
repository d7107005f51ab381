"""The table of vendor peaks, `peaks.toml` beside this file.

The rule: a device is a board of the table only where its name is one of those the table gives. A
close relative (H200 NVL, a laptop's 4090, a slice of a GPU) has other peaks.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from assay.data.limits import Peaks
from assay.errors import UsageError

_TABLE = Path(__file__).with_name("peaks.toml")
_MAKERS = frozenset({"nvidia", "geforce", "tesla", "amd", "instinct", "radeon", "apple", "gpu"})


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
            cache_bytes=entry["cache_mb"] * 2**20 if "cache_mb" in entry else None,
            load_bytes_per_s=entry["loads"] * 1e9 if "loads" in entry else None,
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


def boards_called(name: str) -> tuple[Peaks, ...]:
    """The boards that someone may mean: `RTX 5090` is one, `H100` may be two.

    The name has to be the whole name of a board, or its beginning up to a word's end.
    """
    words, found = _words(name), list[Peaks]()
    for known, entry in _entries().items():
        names = (known, entry["title"].partition(",")[0], *entry.get("devices", ()))
        if "devices" in entry and words and any(_begins(_words(one), words) for one in names):
            found.append(boards()[known])
    return tuple(found)


def _begins(known: list[str], words: list[str]) -> bool:
    return known[: len(words)] == words


def _words(name: str) -> list[str]:
    """Words and numbers of a board's name in small letters, without its makers' and families'."""
    parts = re.findall(r"[a-z]+\d+[a-z]*|\d+|[a-z]+", name.lower())
    joined = re.sub(r"\b(?:rtx )?(?=\d{4}\b)", "rtx", " ".join(parts))  # `5090` alone too
    return [part for part in joined.split() if part not in _MAKERS]


@cache
def _entries() -> dict[str, dict[str, Any]]:
    return tomllib.loads(_TABLE.read_text(encoding="utf-8"))
