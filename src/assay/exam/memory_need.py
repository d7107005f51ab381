"""MemoryNeed: what judging a task at its own shape takes of the host's memory.

The rule: known before anything is drawn. A judge that the kernel ends for want of memory tells
nobody why; one that takes smaller sizes instead says which.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from math import inf
from pathlib import Path

from assay.data.axis import AxisRole
from assay.data.observations.observation import ScaledSeen
from assay.data.workload import Workload
from assay.errors import HostError
from assay.tasks.references.reference import Reference
from assay.tasks.shapes.shape_categories import legal

# Measured at 10^8 elements: arguments, truth, probes and budget of two or three contents.
_BYTES_AN_ELEMENT = 150  # of inputs and outputs
_BYTES_A_WEIGHT = 80  # of parameters and buffers
_SHARE = 0.5  # of what is free: candidates and baselines need some of it, too
_MEMINFO = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")  # of a container: its limit, and what it uses


def within_memory(reference: Reference, most: int | None = None) -> Workload:
    """The own workload; where memory is short with smaller sizes, the batch first.

    With `most` it takes no more than so many bytes. Raises HostError where no size fits.
    """
    own, free = reference.own_workload(), free_bytes()
    axes = reference.own_axes
    limit = _SHARE * free if free is not None else inf
    limit = limit if most is None else min(limit, most)
    while needed_bytes(reference, axes) > limit:
        smaller = halved(reference, axes)
        if smaller is None:
            sizes = f"{limit / 2**30:.1f} GiB of memory may be used"
            raise HostError(f"judging this task takes more memory than there is: {sizes}")
        axes = smaller
    return own.model_copy(update={"axes": axes})


def alike(reference: Reference, workload: Workload, own: Workload) -> Workload:
    """A workload of the task's own constructor with that of the own workload as it is judged."""
    if reference.config(workload.axes) != reference.config(reference.own_axes):
        return workload
    built = dict(reference.config(own.axes))
    return workload.model_copy(update={"axes": {**workload.axes, **built}})


def scaled(reference: Reference, own: Workload, reason: str = "") -> ScaledSeen | None:
    """What the own workload lacks of the task's own sizes, and why; None where nothing."""
    if all(own.axes[name] == n for name, n in reference.own_axes.items()):
        return None
    needed = needed_bytes(reference, reference.own_axes) / 2**30
    memory = f"the own sizes take about {needed:.0f} GiB of the judge's memory"
    return ScaledSeen(own=reference.own_axes, asked=own.axes, reason=reason or memory)


def needed_bytes(reference: Reference, axes: Mapping[str, int]) -> int:
    """By the shapes alone."""
    found = reference.footprint(axes)
    if found is None:
        return 0
    elements = found.input_elements + sum(math.prod(shape) for shape in found.outputs)
    return _BYTES_AN_ELEMENT * elements + _BYTES_A_WEIGHT * found.state_elements


def halved(reference: Reference, axes: dict[str, int]) -> dict[str, int] | None:
    """With one axis about half as long: the batch, else the longest size, else a configuration.

    Only where the task still runs, and needs a tenth less at least: weights do not shrink with a
    batch.
    """
    now = needed_bytes(reference, axes)
    for role in (AxisRole.BATCH, AxisRole.SIZE, AxisRole.CONFIG):
        open_ = [axis for axis in reference.axes if axis.role is role]
        for axis in sorted(open_, key=lambda axis: -axes[axis.name]):
            half = {**axes, axis.name: legal(axis, axes[axis.name] // 2)}
            if half != axes and 0 < needed_bytes(reference, half) <= 0.9 * now:
                return half
    return None


def free_bytes() -> int | None:
    """What the machine, and the container where there is one, have left; None where unknown."""
    left = [one for one in (_available(), _left_in_group()) if one is not None]
    return min(left, default=None)


def _available() -> int | None:
    for line in _text(_MEMINFO).splitlines():
        name, _, amount = line.partition(":")
        if name == "MemAvailable":
            return int(amount.split()[0]) << 10
    return None


def _left_in_group() -> int | None:
    limit, used = (_text(_GROUP / name).strip() for name in ("memory.max", "memory.current"))
    return int(limit) - int(used) if limit.isdigit() and used.isdigit() else None


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
