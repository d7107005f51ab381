"""PlannedCall: one call as the host sees it before it happens, and where its tensors lie."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from assay.worker.host.arena import Region
from assay.worker.host.content import Content
from assay.worker.host.shared_memory import view
from assay.worker.protocol import Call, Plain, Slot


@dataclass(frozen=True)
class Place:
    """Where a call's tensors lie: the same place means the same addresses."""

    workload: int
    letter: str  # "a" begins flush at an inaccessible page, "b" ends there, others do neither
    open: bool = False  # far from any such page

    @property
    def at(self) -> str:
        """Which edge of its pages the data touches."""
        return "open" if self.open else {"a": "start", "b": "end"}.get(self.letter, "middle")


@dataclass(frozen=True)
class PlannedCall:
    """One call as the host sees it before it happens."""

    instance: int
    place: Place
    content: Content
    output_bytes: tuple[int, ...]
    buffers: tuple[str, ...] = ()
    fresh: bool = False
    updates: tuple[int, ...] = ()  # positions of inputs that the call may change


@dataclass(frozen=True)
class BatchOptions:
    """How a batch is run."""

    copy_each: bool = True
    poison: bool = True
    log_operations: bool = False
    check_inputs: bool = True
    bait: int | None = None


@dataclass(frozen=True)
class Laid:
    """One planned call with the regions reserved for it."""

    planned: PlannedCall
    inputs: tuple[Region, ...]
    record: Slot
    outputs: tuple[Slot, ...]
    slots: tuple[Region, ...]

    def call(self) -> Call:
        """The call as the child is told of it."""
        regions = iter(self.inputs)
        arguments = tuple(
            view(value, next(regions), self.planned.fresh)
            if isinstance(value, torch.Tensor)
            else Plain(value)
            for value in self.planned.content.inputs
        )
        planned = self.planned
        return Call(planned.instance, arguments, self.record, self.outputs, planned.buffers)
