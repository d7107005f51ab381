"""Limits on a terminal: one line a task."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group
from rich.text import Text

from assay.data.limits import Peaks, TaskLimits
from assay.report.terminal_layout import Columns


def limits_table(found: Sequence[TaskLimits], peaks: Peaks) -> Group:
    """What each task must move and compute, and the least time for it."""
    table = Columns(
        ("task", "read", "written", "products", "memory", "arithmetic", "least time", "bound by")
    )
    for one in found:
        table.add_row(
            Text(one.task, style="bold"),
            _amount(one.bytes_read, "B"),
            _amount(one.bytes_written, "B"),
            _products(one.flops),
            _time(one.memory_us),
            _time(one.arithmetic_us),
            Text(_time(one.sol_us), style="bold"),
            one.bound,
        )
    title = Text(f"{peaks.title}: {peaks.bytes_per_s / 1e12:.2f} TB/s", style="italic")
    return Group(title, table)


def _time(value_us: float) -> str:
    """In microseconds, which a task of a few kilobytes hardly takes."""
    return f"{value_us:.2f} us" if value_us == 0 or value_us >= 0.005 else "<0.01 us"


def _products(flops: dict[str, int]) -> str:
    return ", ".join(f"{_amount(n, 'FLOP')} {dtype}" for dtype, n in flops.items()) or "-"


def _amount(value: float, unit: str) -> str:
    for prefix in ("", "k", "M", "G", "T"):
        if value < 1000:
            return f"{value:.3g} {prefix}{unit}"
        value /= 1000
    return f"{value:.3g} P{unit}"
