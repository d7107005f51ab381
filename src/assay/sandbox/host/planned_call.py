"""PlannedCall: one call as the host sees it before it happens, and where its tensors lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from assay.numerics.expectation import OutputExpectation
from assay.sandbox.host.arena import Edge, Region
from assay.sandbox.host.call_content import Content
from assay.sandbox.host.shared_memory import view
from assay.sandbox.protocol.requests import Call, Plain, Slot, View
from assay.sandbox.protocol.surroundings import USUAL, Surroundings
from assay.tasks.references.reference_outputs import (
    BUFFER_PREFIX,
    LEFT_OR_UPDATED_PREFIX,
    UPDATED_PREFIX,
)


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
    planted_seed: int | None = None
    apart: bool = False  # whether outputs of one call must not share memory
    moved: bool = False  # whether outputs must lie as a plain copy does
    held: bool = False  # whether its results stay alive until calls are timed
    surroundings: Surroundings = USUAL


@dataclass(frozen=True)
class Laid:
    """One planned call with the regions reserved for it."""

    planned: PlannedCall
    inputs: tuple[Region, ...]
    outer: tuple[Region, ...]  # around each input; one for all that share memory
    record: Slot
    outputs: tuple[Slot, ...]
    slots: tuple[Region, ...]

    def call(self) -> Call:
        """The call as the child is told of it."""
        regions = zip(self.inputs, self.outer, strict=True)
        arguments = tuple(
            _view(value, *next(regions), self.planned.fresh)
            if isinstance(value, torch.Tensor)
            else Plain(value)
            for value in self.planned.content.inputs
        )
        planned = self.planned
        return Call(planned.instance, arguments, self.record, self.outputs, planned.buffers)


def _view(tensor: torch.Tensor, region: Region, outer: Region, fresh: bool) -> View:
    """Of inputs that share memory the storages begin where the first one does."""
    found = view(tensor, region, fresh)
    before = (region.offset - outer.offset) // tensor.element_size()
    return replace(found, lead=before) if before else found


Expectations = tuple[OutputExpectation, ...]


UPDATE_PREFIXES = (UPDATED_PREFIX, LEFT_OR_UPDATED_PREFIX)


def output_bytes(expectations: Expectations) -> tuple[int, ...]:
    """Room each output needs that is handed over."""
    handed = [e for e in expectations if not e.name.startswith(UPDATE_PREFIXES)]
    return tuple(e.reference.numel() * e.reference.element_size() for e in handed)


def update_positions(expectations: Expectations) -> tuple[int, ...]:
    """Inputs that the call may change: what it leaves there is judged like an output."""
    names = [e.name for e in expectations if e.name.startswith(UPDATE_PREFIXES)]
    return tuple(int(name.rpartition(":")[2]) for name in names)


def buffer_names(expectations: Expectations) -> tuple[str, ...]:
    """Buffers the reference changes: the candidate must hand them back too."""
    names = [e.name for e in expectations if e.name.startswith(BUFFER_PREFIX)]
    return tuple(name.removeprefix(BUFFER_PREFIX) for name in names)
