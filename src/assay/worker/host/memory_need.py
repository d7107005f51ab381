"""MemoryNeed: what judging a task at its own shape takes of the host's memory.

The rule: known before anything is drawn. A judge that the kernel ends for want of memory tells
nobody why.
"""

from __future__ import annotations

import math
from pathlib import Path

from assay.errors import HostError
from assay.tasks.reference import Reference

# Measured at 10^8 elements: arguments, truth, probes and budget of two or three contents.
_BYTES_AN_ELEMENT = 112  # of inputs and outputs
_BYTES_A_WEIGHT = 80
_MEMINFO = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")  # of a container: its limit, and what it uses


def require_memory(reference: Reference) -> None:
    """Raises HostError where the task's own shape needs more than is free."""
    needed, free = needed_bytes(reference), free_bytes()
    if free is not None and needed > free:
        sizes = f"about {needed / 2**30:.0f} GiB of memory, and {free / 2**30:.0f} GiB are free"
        raise HostError(f"judging this task at its own shape takes {sizes}: give it smaller sizes")


def needed_bytes(reference: Reference) -> int:
    """By the shapes alone."""
    found = reference.footprint(reference.own_axes)
    if found is None:
        return 0
    elements = found.input_elements + sum(math.prod(shape) for shape in found.outputs)
    return _BYTES_AN_ELEMENT * elements + _BYTES_A_WEIGHT * found.state_elements


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
