"""Input regions: where the tensors of one call lie, those that share memory in one region.

The rule: what overlaps in the content overlaps in the child, at the same distance. A call that may
change an input gets a region for each.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from assay.sandbox.host.arena import Region
from assay.sandbox.host.planned_call import PlannedCall
from assay.sandbox.host.shared_memory import SharedMemory
from assay.sandbox.host.tensor_bytes import span

Regions = tuple[Region, ...]


def reserve_inputs(memory: SharedMemory, call: PlannedCall) -> tuple[Regions, Regions]:
    """The region of every tensor argument, in order, and the region around each."""
    tensors = call.content.tensors
    groups = [[number] for number in range(len(tensors))] if call.updates else _overlapping(tensors)
    found: dict[int, tuple[Region, Region]] = {}
    for group in groups:
        first = min(_begin(tensors[number]) for number in group)
        size = tensors[group[0]].element_size()
        ends = [_begin(tensors[number]) + span(tensors[number]) for number in group]
        nbytes = (max(ends) - first) * size
        numbers = group[0] if len(group) == 1 else tuple(group)
        outer = memory.reserve((call.place, numbers, nbytes), nbytes, call.place.spot.edge)
        for number in group:
            lead = _begin(tensors[number]) - first
            found[number] = (_part(outer, lead * size, tensors[number]), outer)
    ordered = [found[number] for number in range(len(tensors))]
    return tuple(own for own, _ in ordered), tuple(outer for _, outer in ordered)


def _begin(tensor: torch.Tensor) -> int:
    return int(tensor.storage_offset())


def _part(outer: Region, offset: int, tensor: torch.Tensor) -> Region:
    nbytes = span(tensor) * tensor.element_size()
    return replace(outer, offset=outer.offset + offset, nbytes=nbytes)


def _overlapping(tensors: list[torch.Tensor]) -> list[list[int]]:
    """Numbers of tensors whose spans overlap in one storage; most stand alone."""
    groups: list[list[int]] = []
    reach: dict[int, tuple[int, list[int]]] = {}  # by storage: the end of its last group
    order = sorted(range(len(tensors)), key=lambda number: _begin(tensors[number]))
    for number in order:
        tensor = tensors[number]
        storage, begin = tensor.untyped_storage().data_ptr(), _begin(tensor)
        end, group = reach.get(storage, (0, []))
        same = bool(group) and tensors[group[0]].dtype is tensor.dtype and storage != 0
        if not (same and begin < end):
            group = []
            groups.append(group)
            end = 0
        group.append(number)
        reach[storage] = (max(end, begin + span(tensor)), group)
    return groups
