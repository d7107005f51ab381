"""FullShapePlan: whether a task can be judged at its own shape on a device, and how it is cut.

The rule: decided from shapes and small runs. Where the answer is no, it says why: the verdict does.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from assay.data.device import Device
from assay.data.workload import Direction, Layout
from assay.errors import TaskError
from assay.exam.full_shape.device_room import DeviceRoom
from assay.exam.full_shape.full_shape_exam import Cutting
from assay.exam.full_shape.independent_parts import find_parts
from assay.exam.memory_need import halved, needed_bytes
from assay.sandbox.host.changes.spread_change import bears_spread
from assay.tasks.references.reference import Reference

LARGE_BYTES = 16 << 30  # of the judge's memory: shapes that need less are judged on the host
SMALL_BYTES = 1 << 30  # of the judge's memory: of the shape that is asked beside the full one
_SEED = 11


@dataclass(frozen=True)
class FullShapePlan:
    """How the own shape is cut; without that, why it cannot be."""

    cutting: Cutting | None
    reason: str = ""


def is_large(reference: Reference) -> bool:
    """Whether the own shape takes more of the judge's memory than is worth while."""
    return needed_bytes(reference, reference.own_axes) > LARGE_BYTES


def full_shape_plan(reference: Reference, device: Device) -> FullShapePlan:
    """For one device."""
    reason = _other_obstacle(reference)
    if reason:
        return FullShapePlan(None, reason)
    found = reference.footprint(reference.own_axes)
    if found is None:
        return FullShapePlan(None, "its shapes are not known without computing")
    itemsize: int = getattr(torch, reference.dtype).itemsize
    room = DeviceRoom.of(found, itemsize)
    if not room.fits(device.memory_bytes):
        needed, there = room.needed_bytes / 2**30, device.memory_bytes / 2**30
        return FullShapePlan(None, f"it takes {needed:.0f} GiB of the device's {there:.0f}")
    parts = find_parts(reference)
    block = room.block(parts, device.memory_bytes)
    if block is None:
        return FullShapePlan(None, "it does not fall into parts that are independent and fit")
    return FullShapePlan(Cutting(parts, block))


def _other_obstacle(reference: Reference) -> str:
    """What no amount of memory mends; empty where nothing."""
    task = reference.task
    if task.contract is not None:
        return "its contract is judged on whole answers"
    if task.direction is not Direction.FORWARD:
        return "gradients are judged on whole answers"
    try:
        if reference.updates:
            return "it changes its inputs in place"
        if reference.own_workload().layout is not Layout.CONTIGUOUS:
            return "its inputs are not contiguous"
        return _of_small(reference)
    except TaskError as error:
        return str(error)


def _of_small(reference: Reference) -> str:
    """What a small run shows."""
    axes = reference.own_axes
    while needed_bytes(reference, axes) > SMALL_BYTES:
        smaller = halved(reference, axes)
        if smaller is None:
            return "its sizes cannot be reduced"
        axes = smaller
    if next(reference.construct(axes, _SEED).buffers(), None) is not None:
        return "a call may change its buffers"
    drawn = reference.draw(reference.own_workload().model_copy(update={"axes": axes}), _SEED)
    floats = [v for v in drawn if isinstance(v, torch.Tensor) and v.is_floating_point()]
    largest = max(floats, key=lambda v: v.numel(), default=None)
    if largest is None or not bears_spread(largest):
        return "its inputs have a structure that single changes would break"
    return ""
