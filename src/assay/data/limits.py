"""Limits: what physics allows: the peaks of a board, and the floor of one task on it."""

from __future__ import annotations

from assay.data.record import SCHEMA_VERSION, Record


class Peaks(Record):
    """What a board's maker says it can do. Rates are dense, at the clock the maker names."""

    name: str
    title: str
    bytes_per_s: float  # of device memory
    flops_per_s: dict[str, float]  # by unit: fp64, fp32 (no tensor unit), tf32, half, fp8, int8
    clock_mhz: float | None = None  # of these rates
    clock_mhz_max: float | None = None  # that the board may reach
    source: str = ""
    cache_bytes: int | None = None  # of the last level
    load_bytes_per_s: float | None = None  # that all multiprocessors can take in, from any level

    def rate(self, unit: str) -> float:
        """Operations a second at the highest clock; the board's fastest where it has no such unit.

        A floor may be too low, never too high.
        """
        found = self.flops_per_s.get(unit) or max(self.flops_per_s.values())
        if self.clock_mhz is None or self.clock_mhz_max is None:
            return found
        return found * max(1.0, self.clock_mhz_max / self.clock_mhz)


class TaskLimits(Record):
    """The floor of one task at one shape on one board."""

    schema_version: int = SCHEMA_VERSION
    task: str
    axes: dict[str, int]
    board: str
    bytes_read: int
    bytes_written: int
    bytes_kept: int = 0  # of those read: parameters and buffers, the same in every call
    flops: dict[str, int]  # of products, by the operands' dtype
    elementwise: int  # elements made by everything else; in no bound
    units: dict[str, str]  # the unit at whose rate each dtype is priced
    memory_us: float
    arithmetic_us: float

    @property
    def sol_us(self) -> float:
        """The least time."""
        return max(self.memory_us, self.arithmetic_us)

    @property
    def bound(self) -> str:
        """The roof that binds."""
        return "memory" if self.memory_us >= self.arithmetic_us else "arithmetic"
