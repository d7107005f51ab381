"""PlannedCall: one call as the host sees it before it happens, and where its tensors lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from assay.worker.host.arena import Edge, Region
from assay.worker.host.content import Content
from assay.worker.host.reading import Expectations, buffer_names, output_bytes, update_positions
from assay.worker.host.shared_memory import view
from assay.worker.protocol import Call, Plain, Slot


@dataclass(frozen=True)
class Spot:
    """One of the spots at which the tensors of a workload lie, told apart by name."""

    name: str
    edge: Edge = Edge.MIDDLE


AT_START, AT_END = Spot("at the start", Edge.START), Spot("at the end", Edge.END)
ALONE = Spot("alone")  # of calls that are asked one by one
WARM_UP = Spot("warm-up")  # of calls whose results nobody looks at
SPOTS = (AT_START, AT_END, Spot("third"), Spot("fourth"), Spot("fifth"))  # of one batch


@dataclass(frozen=True)
class Place:
    """Where a call's tensors lie: the same place means the same addresses."""

    workload: int
    spot: Spot


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

    @classmethod
    def judged(
        cls, instance: int, place: Place, content: Content, expected: Expectations
    ) -> PlannedCall:
        """With room for everything that it is expected to return or change."""
        sizes, buffers = output_bytes(expected), buffer_names(expected)
        return cls(instance, place, content, sizes, buffers, updates=update_positions(expected))


def timed_calls(
    contents: Sequence[Content],
    count: int,
    sizes: tuple[int, ...] = (),
    updates: tuple[int, ...] = (),
) -> list[PlannedCall]:
    """Calls of the own workload, each at a place of its own; the contents take turns."""
    places = [Place(0, Spot(f"timed {number}")) for number in range(count)]
    return [
        PlannedCall(0, place, contents[number % len(contents)], sizes, updates=updates)
        for number, place in enumerate(places)
    ]


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
