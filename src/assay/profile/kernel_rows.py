"""Profile figures: launches added up into rows, and the position under the roofs.

The rule: a row's figures are weighted by the time of its launches, and what one launch lacks is
left out, never taken for nought.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from assay.data.limits import Peaks, TaskLimits
from assay.data.observations.kernels import KernelSeen, KernelsSeen
from assay.data.observations.profile import Extent, KernelLaunch, KernelRow, RooflinePosition
from assay.profile.occupancy import KernelResources, Multiprocessor, occupancy

# Kernels that come with a library. Templates that a candidate may instantiate itself (CUTLASS, CUB)
# are left out: their names do not say who launched them.
_LIBRARY = re.compile(
    r"\bat::native\b|cublas|cudnn|cufft|cusparse|nvjet|_xmma_|\bpytorch_flash\b"
    r"|^(void )?(ampere|volta|turing|hopper)_|\brocblas|Cijk_|MIOpen",
)

_COUNTED = ("occupancy", "occupancy_limit", "stalls", "memory_busy", "arithmetic_busy")


def is_library(kernel_name: str) -> bool:
    """The name is one that a vendor's or framework's own kernel has."""
    return _LIBRARY.search(kernel_name) is not None


def kernel_rows(launches: Iterable[KernelLaunch]) -> tuple[KernelRow, ...]:
    """One row a kernel, the longest first."""
    groups: dict[str, list[KernelLaunch]] = defaultdict(list)
    for launch in launches:
        groups[launch.name].append(launch)
    whole_us = sum(one.time_us for group in groups.values() for one in group)
    rows = [_row(name, group, whole_us) for name, group in groups.items()]
    return tuple(sorted(rows, key=lambda row: -row.total_us))


def rows_seen(seen: KernelsSeen, sm: Multiprocessor | None) -> tuple[KernelRow, ...]:
    """One row a kernel out of the driver's records, the longest first."""
    whole_us = sum(one.total_us for one in seen.kernels)
    rows = [_row_seen(one, whole_us, sm) for one in seen.kernels]
    return tuple(sorted(rows, key=lambda row: -row.total_us))


def with_counters(rows: Sequence[KernelRow], counted: Sequence[KernelRow]) -> tuple[KernelRow, ...]:
    """The same rows with what a profiler counted; times and launches stay as they were.

    Profilers write a name out differently: where it is not the same the bare function's name, the
    block and the registers have to be, and fit one kernel alone.
    """
    return tuple(_counted(row, counted) for row in rows)


def position(limits: TaskLimits, peaks: Peaks, time_us: float) -> RooflinePosition:
    """Where a time stands.

    intensity = products / bytes
    ridge     = (products / their least time) / bandwidth, at the rates the products are priced at
    """
    nbytes = max(1, limits.bytes_read + limits.bytes_written)
    flops = sum(limits.flops.values())
    rate = flops / (1e-6 * limits.arithmetic_us) if limits.arithmetic_us else None
    return RooflinePosition(
        intensity=flops / nbytes,
        ridge=rate / peaks.bytes_per_s if rate else None,
        memory_share=limits.memory_us / time_us,
        arithmetic_share=limits.arithmetic_us / time_us,
        bound=limits.bound,
    )


def _row_seen(one: KernelSeen, whole_us: float, sm: Multiprocessor | None) -> KernelRow:
    block, fits = _extent(one.block), None
    if sm is not None and block is not None:
        threads = block[0] * block[1] * block[2]
        fits = occupancy(KernelResources(one.registers, one.shared_bytes, threads), sm)
    return KernelRow(
        name=one.name,
        calls=one.launches,
        total_us=one.total_us,
        share=one.total_us / whole_us if whole_us else 0.0,
        library=is_library(one.name),
        registers=one.registers,
        shared_bytes=one.shared_bytes,
        occupancy=fits.share if fits else None,
        occupancy_limit=fits.limit if fits else None,
        grid=_extent(one.grid),
        block=block,
    )


def _extent(text: str) -> Extent | None:
    sizes = text.split("x")
    if len(sizes) != 3 or not all(size.isdigit() for size in sizes):
        return None
    return int(sizes[0]), int(sizes[1]), int(sizes[2])


def _counted(row: KernelRow, counted: Sequence[KernelRow]) -> KernelRow:
    same = [one for one in counted if one.name == row.name]
    alike = [one for one in counted if _bare(one) == _bare(row)]
    found = same or alike
    if len(found) != 1:
        return row
    given = {name: getattr(found[0], name) for name in _COUNTED}
    return row.model_copy(
        update={name: value for name, value in given.items() if value is not None}
    )


def _bare(row: KernelRow) -> tuple[str, Extent | None, int | None]:
    """`void at::native::fill<float>(int)` is `fill`."""
    name = re.split(r"[<(]", row.name, maxsplit=1)[0].split()[-1:] or [row.name]
    return name[0].rpartition("::")[2], row.block, row.registers


def _row(name: str, group: Sequence[KernelLaunch], whole_us: float) -> KernelRow:
    longest = max(group, key=lambda one: one.time_us)
    total_us = sum(one.time_us for one in group)
    return KernelRow(
        name=name,
        calls=len(group),
        total_us=total_us,
        share=total_us / whole_us if whole_us else 0.0,
        library=is_library(name),
        registers=longest.registers,
        shared_bytes=longest.shared_bytes,
        occupancy=_weighted(group, lambda one: one.occupancy),
        occupancy_limit=longest.occupancy_limit,
        grid=longest.grid,
        block=longest.block,
        stalls=_stalls(group),
        memory_busy=_weighted(group, lambda one: one.memory_busy),
        arithmetic_busy=_weighted(group, lambda one: one.arithmetic_busy),
    )


def _weighted(
    group: Sequence[KernelLaunch], figure: Callable[[KernelLaunch], float | None]
) -> float | None:
    """The mean of a figure over time; None where no launch has it."""
    pairs = [(value, one.time_us) for one in group if (value := figure(one)) is not None]
    weight = sum(time_us for _, time_us in pairs)
    return sum(value * time_us for value, time_us in pairs) / weight if weight else None


def _stalls(group: Sequence[KernelLaunch]) -> dict[str, float] | None:
    """By reason, the largest first."""
    reasons = dict.fromkeys(reason for one in group for reason in one.stalls or {})
    found: dict[str, float] = {}
    for reason in reasons:
        value = _weighted(group, lambda one, key=reason: (one.stalls or {}).get(key))  # type: ignore[misc]
        if value is not None:
            found[reason] = value
    return dict(sorted(found.items(), key=lambda item: -item[1])) or None
