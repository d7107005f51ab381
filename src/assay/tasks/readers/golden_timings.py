"""GoldenTimings: how long a benchmark's own reference took on its devices, as the benchmark says.

The rule: claims of others, never measurements of ours. A device whose file repeats another's byte
for byte was not measured, and is named as a copy.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import UsageError


@dataclass(frozen=True)
class GoldenRow:
    """One size of the sweep."""

    input_size: str  # as JSON: formats nest shapes in their own ways
    latency_ms: float
    gb_per_s: float | None
    tflop_per_s: float | None


@dataclass(frozen=True)
class GoldenTimings:
    """All sizes on one device."""

    device: str
    rows: tuple[GoldenRow, ...]
    copy_of: str = ""  # the device whose file this one repeats


def golden_timings(files: dict[str, Path]) -> tuple[GoldenTimings, ...]:
    """What lies in the files of each device, sorted by device; missing files are left out."""
    seen: dict[bytes, str] = {}
    found: list[GoldenTimings] = []
    for device, path in sorted(files.items()):
        if not path.is_file():
            continue
        content = path.read_bytes()
        found.append(GoldenTimings(device, _rows(content, path), seen.get(content, "")))
        seen.setdefault(content, device)
    return tuple(found)


def measured_on(timings: tuple[GoldenTimings, ...]) -> tuple[str, ...]:
    """Devices with rows of their own."""
    return tuple(one.device for one in timings if one.rows and not one.copy_of)


def _rows(content: bytes, path: Path) -> tuple[GoldenRow, ...]:
    try:
        rows = json.loads(content)
        return tuple(_row(row) for row in rows)
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is no list of timings: {error}") from error


def _row(row: dict[str, Any]) -> GoldenRow:
    return GoldenRow(
        input_size=json.dumps(row["input_size"]),
        latency_ms=float(row["ms"]),
        gb_per_s=_number(row.get("GB/s")),
        tflop_per_s=_number(row.get("TFLOPS")),
    )


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
