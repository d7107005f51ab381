"""Requests: what the host asks of the child, and where in the memory between them.

The rule: the host may send anything (it is trusted; requests are pickled dataclasses). What the
child may say is in `replies`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.languages.language import Language
from assay.languages.triton.triton_signature import TritonLaunch
from assay.sandbox.protocol.surroundings import USUAL, Surroundings

STATEMENT_BYTES = 1 << 18
CONTROL_ARENA = 0
GATE_ARENA = 1
WORD_BYTES = 4
# Each in a cache line of its own.
GATE_WORD, STARTED_WORD, LAUNCHED_WORD, ENQUEUED_WORD, DONE_WORD = 0, 16, 32, 48, 64


@dataclass(frozen=True)
class View:
    """A tensor in shared memory. Equal views are one tensor object in the child, unless `fresh`."""

    arena: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    fresh: bool = False
    lead: int = 0  # elements of its storage that lie before it


@dataclass(frozen=True)
class Plain:
    """An argument that is no tensor."""

    value: Any


@dataclass(frozen=True)
class Slot:
    """Room for at most `capacity` bytes, of an output or of a call's record."""

    arena: int
    offset: int
    capacity: int
    head: tuple[int, int] = (CONTROL_ARENA, 0)  # arena and offset of an output's header


@dataclass(frozen=True)
class Call:
    """One call of one instance."""

    instance: int
    inputs: tuple[View | Plain, ...]
    record: Slot
    outputs: tuple[Slot, ...]
    buffers: tuple[str, ...] = ()  # buffers to hand back after the call, as further outputs


@dataclass(frozen=True)
class MapArena:
    """Map the descriptor that comes with this request, or open the device memory of a handle."""

    arena: int
    size: int
    handle: bytes = b""


@dataclass(frozen=True)
class Protect:
    """Make byte ranges of an arena inaccessible."""

    arena: int
    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class MeasureGap:
    """Say what the device needs between two pieces of work; the reply counts picoseconds."""


@dataclass(frozen=True)
class Load:
    """Import the candidate's main file."""

    path: str
    entry: str
    language: Language
    interpreted: bool  # its kernels are
    ablated: bool = False  # let its launches do nothing


@dataclass(frozen=True)
class Construct:
    """Make one instance of the entry class."""

    instance: int
    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...]
    seed: int
    training: bool
    copy_of: int | None = None  # an instance of the same arguments: a deep copy of it will do


@dataclass(frozen=True)
class LoadState:
    """Copy values into an instance's parameters and buffers, in place."""

    instance: int
    entries: tuple[tuple[str, View], ...]


@dataclass(frozen=True)
class RunBatch:
    """Call, and hand the outputs over after each call or after all of them."""

    calls: tuple[Call, ...]
    copy_each: bool
    poison: bool
    log_operations: bool = False
    planted_seed: int | None = (
        None  # a seed: before each call but the first, free slightly spoiled results
    )
    apart: bool = False  # say which outputs share memory with an input or with each other
    moved: bool = False  # say also which do not lie as a plain copy does
    held: bool = False  # keep the results alive until calls are timed
    surroundings: Surroundings = USUAL

    @property
    def as_timed(self) -> bool:
        """Whether calls are made as timed ones are: then the runner computes nothing beside them.

        What it computes there is sampled with the candidate's code, and charged to the candidate.
        """
        return not (self.copy_each or self.poison)


@dataclass(frozen=True)
class PlanTimed:
    """Prepare calls that are to be timed; later batches are beginnings of this list."""

    calls: tuple[Call, ...]


@dataclass(frozen=True)
class RunTimed:
    """The first `length` planned calls, as a plain loop makes them."""

    length: int


@dataclass(frozen=True)
class RunGated:
    """Queue calls behind the gate, and hand over when they are through."""

    calls: tuple[Call, ...]
    number: int  # what the gate shows when it opens
    recorded: bool = False  # and say which kernels the device ran


@dataclass(frozen=True)
class TraceKernels:
    """Call, and say which kernels the device ran."""

    calls: tuple[Call, ...]


@dataclass(frozen=True)
class ListCode:
    """Say which functions were loaded onto the device since the process began, page by page."""

    page: int


@dataclass(frozen=True)
class HandOverAgain:
    """Copy the results of the last batch, which are still alive, once more."""


@dataclass(frozen=True)
class HandOverHeld:
    """Copy the results of a batch that was held, once more."""

    number: int  # among the batches that were held


@dataclass(frozen=True)
class Survey:
    """Compare process-wide state with how it was before the candidate came."""


@dataclass(frozen=True)
class RunTool:
    """Run one program; what it prints goes into a file. The reply counts its exit code."""

    arguments: tuple[str, ...]
    folder: str
    output: str
    seconds: float


@dataclass(frozen=True)
class CompileTriton:
    """Import the candidate's main file where it is not yet, and compile one of its kernels.

    Assembly and binary go into two files, the text of the reply says what was assumed.
    """

    path: str
    launch: TritonLaunch
    target: tuple[str, int | str, int]
    assembly: str
    binary: str


Request = (
    MapArena
    | Protect
    | MeasureGap
    | Load
    | Construct
    | LoadState
    | RunBatch
    | PlanTimed
    | RunTimed
    | RunGated
    | TraceKernels
    | ListCode
    | HandOverAgain
    | HandOverHeld
    | Survey
    | RunTool
    | CompileTriton
)
