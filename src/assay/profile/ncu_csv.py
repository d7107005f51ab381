"""Launches out of what `ncu --csv --page raw` prints: a header, a row of units, a row a launch.

The rule: columns are found by name, never by place; a metric that is missing, empty or `n/a` is
None, and a column whose unit is not known is an error, never a guess. `--print-units base` keeps
all digits.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping

from assay.data.observations.profile import Extent, KernelLaunch
from assay.errors import HostError

METRICS = (
    "gpu__time_duration.sum",
    "launch__registers_per_thread",
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "regex:smsp__average_warps_issue_stalled_.*_per_issue_active.ratio",
)  # what to ask ncu for with --metrics

_MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
_MICROSECONDS |= {"nsecond": 1e-3, "usecond": 1.0, "msecond": 1e3, "second": 1e6}
_BYTES = {"byte": 1.0, "Kbyte": 1e3, "Mbyte": 1e6, "KB": 1e3, "B": 1.0}
_STALL = re.compile(r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio")
_NO_REASON = re.compile(r"^selected$|_not_issued$")  # a warp that issues; a part of a reason
_LIMIT = "launch__occupancy_limit_"
_SHARED = ("launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic")
_NAME = "Kernel Name"


def parse_ncu(text: str) -> tuple[KernelLaunch, ...]:
    """Every launch, in the order in which it ran; what ncu says beside the table is skipped."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    rows = list(csv.reader(lines))
    heads = [number for number, row in enumerate(rows) if _NAME in row]
    if not heads:
        raise HostError("the profiler printed no table: no column is called 'Kernel Name'")
    header, *rest = rows[heads[0] :]
    if not rest:
        return ()
    units = dict(zip(header, rest[0], strict=True))
    return tuple(
        _Launch(dict(zip(header, row, strict=True)), units).read()
        for row in rest[1:]
        if len(row) == len(header)
    )


class _Launch:
    """One row, with the units of its columns."""

    def __init__(self, cells: Mapping[str, str], units: Mapping[str, str]) -> None:
        self._cells = cells
        self._units = units

    def read(self) -> KernelLaunch:
        time_us = self._scaled("gpu__time_duration.sum", _MICROSECONDS)
        if time_us is None:
            raise HostError(f"the profiler gives no time for {self._cells[_NAME]}")
        registers = self._number("launch__registers_per_thread")
        shared = [self._scaled(name, _BYTES) for name in _SHARED]
        known = [value for value in shared if value is not None]
        return KernelLaunch(
            name=self._cells[_NAME],
            time_us=time_us,
            registers=None if registers is None else int(registers),
            shared_bytes=round(sum(known)) if known else None,
            occupancy=self._share("sm__warps_active.avg.pct_of_peak_sustained_active"),
            occupancy_limit=self._limit(),
            grid=_extent(self._cells.get("Grid Size", "")),
            block=_extent(self._cells.get("Block Size", "")),
            stalls=dict(self._stalls()) or None,
            memory_busy=self._share("dram__throughput.avg.pct_of_peak_sustained_elapsed"),
            arithmetic_busy=self._share("sm__throughput.avg.pct_of_peak_sustained_elapsed"),
        )

    def _limit(self) -> str | None:
        """The resource that allows the fewest blocks on a multiprocessor."""
        found = {
            name.removeprefix(_LIMIT).replace("_", " "): value
            for name in self._cells
            if name.startswith(_LIMIT) and (value := self._number(name)) is not None
        }
        return min(found, key=found.__getitem__) if found else None

    def _stalls(self) -> Iterator[tuple[str, float]]:
        for name in self._cells:
            match, value = _STALL.fullmatch(name), self._number(name)
            if match and value is not None and not _NO_REASON.search(match[1]):
                yield match[1], value

    def _share(self, name: str) -> float | None:
        value = self._number(name)
        return None if value is None else value / 100.0

    def _scaled(self, name: str, factors: Mapping[str, float]) -> float | None:
        """In the unit that its own row of units names; `byte/block` is bytes."""
        value, unit = self._number(name), self._units.get(name, "").partition("/")[0]
        if value is None:
            return None
        if unit not in factors:
            raise HostError(f"the profiler gives {name} in '{unit}', which is not known here")
        return value * factors[unit]

    def _number(self, name: str) -> float | None:
        """Digits are grouped by commas; what is no finite number is None."""
        text = self._cells.get(name, "").replace(",", "")
        return float(text) if re.fullmatch(r"-?\d+(\.\d+)?([eE][-+]?\d+)?", text) else None


def _extent(text: str) -> Extent | None:
    match = re.fullmatch(r"\((\d+), *(\d+), *(\d+)\)", text.strip())
    return (int(match[1]), int(match[2]), int(match[3])) if match else None
