"""Kernels: what ran on a device during some calls."""

from __future__ import annotations

from typing import Literal

from assay.data.record import Record


class KernelSeen(Record):
    """All launches of one kernel."""

    name: str
    launches: int
    total_us: float
    registers: int
    shared_bytes: int
    grid: str
    block: str
    codes: tuple[str, ...] = ()  # digests of its machine code, where it is long enough
    library_code: str = ""  # the library's function that has the same machine code


class KernelsSeen(Record):
    """The device's own records of a few ordinary calls, or why there are none. Testimony."""

    kind: Literal["kernels"] = "kernels"
    calls: int
    kernels: tuple[KernelSeen, ...] = ()
    reason: str = ""
    marked: bool = True  # whether the records hold the small kernels that the runner adds
    unrecorded: int = 0  # launches that the driver was asked for and that left no record
    compared: int = 0  # digests of libraries' functions that theirs were compared with
