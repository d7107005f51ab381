"""Replies: what the child says, and in which form.

The rule: only in fixed binary structs and bytes in memory that the host owns: a `Reply` on the
channel, one `CallRecord` a call, one `OutputHeader` an output, and one bounded text. The host
copies them before it parses them, and believes none of them.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag

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
MARKED = "marked"  # a line of a kernel log: the runner's own kernels were recorded too
UNRECORDED = "unrecorded"  # and this one, how many launches left no record
FAILED = "failed"  # the only line of one that is not there, with the reason
MORE_KERNELS = "(more kernels of other names)"  # what a kernel log does not say one by one


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
    WITHIN = 64  # its memory overlaps another output's of the same call
    OF_INPUT = 128  # its memory overlaps an input's
    FOLDED = 256  # several of its elements are one in memory
    MOVED_LATER = 512  # its elements do not lie one behind the other, where that is asked


_ALL_FLAGS = sum(OutputFlag)


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
        return cls(dtype, shape, OutputFlag(flags & _ALL_FLAGS), nbytes)
