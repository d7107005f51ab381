"""Protocol: what crosses the wall, and in which form.

The rule: the host may send anything (it is trusted; requests are pickled dataclasses). The child
answers only in fixed binary structs and bytes in memory that the host owns: a `Reply` on the
channel, one `CallRecord` a call, one `OutputHeader` an output, and one bounded text. The host
copies them before it parses them, and believes none of them.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any

from assay.languages.triton_signature import TritonLaunch

DTYPES = (
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
    "complex64",
    "complex128",
    "float8_e4m3fn",
    "float8_e5m2",
    "uint16",
    "uint32",
    "uint64",
)
MAX_DIMS = 8
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
class Load:
    """Import the candidate's main file."""

    path: str
    entry: str
    interpreted: bool  # repair the Triton interpreter first
    ablated: bool = False  # let its launches do nothing


@dataclass(frozen=True)
class Construct:
    """Make one instance of the entry class."""

    instance: int
    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...]
    seed: int
    training: bool


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
    bait: int | None = None  # a seed: before each call but the first, free slightly spoiled results


@dataclass(frozen=True)
class RunGated:
    """Queue calls behind the gate, and hand over when they are through."""

    calls: tuple[Call, ...]
    number: int  # what the gate shows when it opens


@dataclass(frozen=True)
class TraceKernels:
    """Call, and say which kernels the device ran."""

    calls: tuple[Call, ...]


@dataclass(frozen=True)
class HandOverAgain:
    """Copy the results of the last batch, which are still alive, once more."""


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
    | Load
    | Construct
    | LoadState
    | RunBatch
    | RunGated
    | TraceKernels
    | HandOverAgain
    | Survey
    | RunTool
    | CompileTriton
)


class ReplyCode(IntEnum):
    """How a request ended."""

    OK = 0
    RAISED = 1
    OUT_OF_MEMORY = 2
    BROKE = 3  # it raised, and by no check of the candidate's own


class StateMatch(IntEnum):
    """How the child found a home for the weights it was given."""

    NONE = 0  # the candidate holds nothing that fits: it keeps what the common seed gave it
    NAMES = 1
    ORDER = 2


class CallCode(IntEnum):
    """How a call ended, in the child's words."""

    UNTOUCHED = 0
    RETURNED = 1
    RAISED = 2
    OUT_OF_MEMORY = 3
    BROKE = 4  # it raised, and by no check of the candidate's own


class OutputFlag(IntFlag):
    """What the child says of one returned value."""

    TENSOR = 1
    EXACT_TYPE = 2
    BARE = 4  # nothing hung on the instance
    ON_DEVICE = 8
    FITS = 16
    SHARED = 32  # its memory overlaps another live result's


@dataclass(frozen=True)
class Reply:
    """The end of one request, echoing its sequence number."""

    FORMAT = struct.Struct("<4sIiI")
    MAGIC = b"DONE"

    sequence: int
    code: int
    count: int

    def pack(self) -> bytes:
        """Bytes for the channel."""
        return self.FORMAT.pack(self.MAGIC, self.sequence, self.code, self.count)

    @classmethod
    def unpack(cls, data: bytes) -> Reply | None:
        """None where the bytes are not a reply."""
        if len(data) != cls.FORMAT.size:
            return None
        magic, sequence, code, count = cls.FORMAT.unpack(data)
        return cls(sequence, code, count) if magic == cls.MAGIC else None


@dataclass(frozen=True)
class CallRecord:
    """What the child says of one call."""

    FORMAT = struct.Struct("<4siIQI")
    MAGIC = b"CALL"
    MESSAGE_BYTES = 2048

    code: int
    outputs: int
    inside_ns: int
    message: str

    def pack(self) -> bytes:
        """Bytes for the record's slot."""
        text = self.message.encode("utf-8", "replace")[: self.MESSAGE_BYTES]
        head = (self.MAGIC, self.code, self.outputs, self.inside_ns, len(text))
        return self.FORMAT.pack(*head) + text

    @classmethod
    def size(cls) -> int:
        """Bytes a record may take."""
        return cls.FORMAT.size + cls.MESSAGE_BYTES

    @classmethod
    def unpack(cls, data: bytes) -> CallRecord | None:
        """None where the child wrote no record."""
        magic, code, outputs, inside_ns, length = cls.FORMAT.unpack_from(data)
        if magic != cls.MAGIC:
            return None
        start = cls.FORMAT.size
        text = data[start : start + min(length, cls.MESSAGE_BYTES)]
        return cls(code, outputs, inside_ns, text.decode("utf-8", "replace"))


@dataclass(frozen=True)
class OutputHeader:
    """What the child says of one output, behind the record of its call."""

    FORMAT = struct.Struct("<4sBBHQ8q")
    MAGIC = b"OUTP"
    BYTES = 128

    dtype: str
    shape: tuple[int, ...]
    flags: OutputFlag
    nbytes: int

    def pack(self) -> bytes:
        """Bytes for the head of a slot."""
        code = DTYPES.index(self.dtype) if self.dtype in DTYPES else 255
        dims = (*self.shape[:MAX_DIMS], *([0] * (MAX_DIMS - len(self.shape))))
        ndim = min(len(self.shape), 255)
        return self.FORMAT.pack(self.MAGIC, code, ndim, int(self.flags), self.nbytes, *dims)

    @classmethod
    def unpack(cls, data: bytes) -> OutputHeader | None:
        """None where the child wrote no header, or an impossible one."""
        magic, code, ndim, flags, nbytes, *dims = cls.FORMAT.unpack_from(data)
        if magic != cls.MAGIC:
            return None
        dtype = DTYPES[code] if code < len(DTYPES) else "unknown"
        shape = tuple(dims[:ndim]) if ndim <= MAX_DIMS else (-1,)  # matches nothing
        return cls(dtype, shape, OutputFlag(flags & 63), nbytes)
