"""ClockEvents: samples that the kernel takes of threads, by the processor time that they use.

The rule: nothing is stopped. The kernel interrupts a thread after so much processor time, writes
down its registers and the top of its stack and lets it go on; threads and processes that it makes
are sampled as it is. A thread that waits for a processor is not sampled, so a busy machine changes
nothing but how long it takes. Where the kernel refuses (`SamplesRefused`), threads have to be
stopped instead (`stopped_looks.py`).
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import functools
import mmap
import os
import platform
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assay.sampling.looks.stopped_thread import Registers

_libc = ctypes.CDLL(None, use_errno=True)
_OPEN_CALLS = {"x86_64": 298, "aarch64": 241}  # the number of perf_event_open
_CLOSE_ON_EXEC = 8
_ATTRIBUTES = 112  # bytes of the structure that describes an event
_SOFTWARE, _TASK_CLOCK = 1, 1
_IP, _TID, _TIME, _REGISTERS, _STACK = 1, 1 << 1, 1 << 2, 1 << 12, 1 << 13
_DISABLED, _INHERIT, _EXCLUDE_HYPERVISOR, _TELL_OF_CHILDREN = 1, 1 << 1, 1 << 6, 1 << 13
_ENABLE, _SET_OUTPUT = 0x2400, 0x2405  # requests
_STACK_BYTES = 16 << 10
_RING_BYTES = 4 << 20  # of each processor: 25 ms of samples
_SMALL_RING_BYTES = 512 << 10  # what an ordinary user may lock on each processor
_MOST_RING_BYTES = 64 << 20  # of all processors
_HEAD, _TAIL = 1024, 1032  # places in the page before a ring
_SAMPLE_RECORD, _CHILD_RECORD = 9, 7
_IDENTITY, _FIRST_REGISTER = 16, 40  # places in such a record
_MODE, _IN_KERNEL = 7, 1
_MOST_EVENTS = 4096  # one for each thread and processor
# The kernel's number of a register, and DWARF's.
_X86 = ((1, 3), (6, 6), (18, 10), (20, 12), (21, 13), (22, 14), (23, 15))
_X86_STACK, _X86_PC = 7, 8
_ARM = tuple((number, number) for number in range(31))
_ARM_STACK, _ARM_PC, _ARM_LINK = 31, 32, 30


class SamplesRefused(Exception):
    """The kernel does not let this user sample, or there are too many threads."""


@dataclass(slots=True)
class ClockSample:
    """One thread at one moment, as the kernel wrote it down; most are never read any further.

    Its record is 16 KiB, so it is copied when it is asked for: to copy all of them took three
    times as long as the rest of reading, and a tenth of a processor.
    """

    pid: int
    tid: int
    time_ns: int
    in_kernel: bool
    _copy: Callable[[], bytes] | None  # while the ring still holds it
    _record: bytes = b""

    def keep(self) -> None:
        """Copy all that was written down. LookupError where the ring holds it no longer."""
        if not self._record:
            if self._copy is None:
                raise LookupError("the ring holds this record no longer")
            self._record = self._copy()

    @property
    def record(self) -> bytes:
        """All that was written down."""
        self.keep()
        return self._record

    def let_go(self) -> None:
        """The ring will be written over: what was not copied is lost."""
        self._copy = None

    @property
    def registers(self) -> Registers:
        """Of its own code; whether that made a system call is not known here."""
        numbers = _register_numbers()
        found = struct.unpack_from(f"<{len(numbers)}Q", self.record, _FIRST_REGISTER)
        return _registers(dict(zip(numbers, found, strict=True)))

    @property
    def stack(self) -> bytes:
        """Its top."""
        at = _FIRST_REGISTER + 8 * len(_register_numbers())
        (size,) = struct.unpack_from("<Q", self.record, at)
        if not size:
            return b""
        (filled,) = struct.unpack_from("<Q", self.record, at + 8 + size)
        return self.record[at + 8 : at + 8 + filled]


@dataclass
class ClockEvents:
    """Events of threads on every processor, one ring of records for each of these."""

    period_ns: int
    _rings: dict[int, _Ring] = field(default_factory=dict)
    _events: list[int] = field(default_factory=list)
    parents: dict[int, int] = field(default_factory=dict)  # of processes made since, by number

    def watch(self, tids: list[int]) -> None:
        """Threads, and whatever they make from now on; one may be gone. Raises SamplesRefused."""
        processors = _processors()
        if len(self._events) + len(tids) * len(processors) > _MOST_EVENTS:
            raise SamplesRefused(f"{len(tids)} threads on {len(processors)} processors")
        for tid in tids:
            with contextlib.suppress(ProcessLookupError):
                for processor in processors:
                    self._open(tid, processor)

    def _open(self, tid: int, processor: int) -> None:
        event = opened(tid, processor, sampling(self.period_ns))
        self._events.append(event)
        if processor in self._rings:
            fcntl.ioctl(event, _SET_OUTPUT, self._rings[processor].event)
        else:
            size = _ring_bytes(len(_processors()))
            self._rings[processor] = _Ring.of(event, size, self.parents)
        fcntl.ioctl(event, _ENABLE, 0)

    @contextlib.contextmanager
    def reading(self) -> Iterator[list[ClockSample]]:
        """What came since the last time; records that are asked for within stay."""
        rings = tuple(self._rings.values())
        ends = [ring.written for ring in rings]
        samples = [one for ring, end in zip(rings, ends, strict=True) for one in ring.read(end)]
        try:
            yield samples
        finally:
            for one in samples:
                one.let_go()
            for ring, end in zip(rings, ends, strict=True):
                ring.release(end)

    def drain(self) -> list[ClockSample]:
        """What came since the last time, every record of it."""
        with self.reading() as samples:
            for one in samples:
                one.keep()
        return samples

    def close(self) -> None:
        """Nothing is sampled any more."""
        for ring in self._rings.values():
            ring.memory.close()
        for event in self._events:
            os.close(event)
        self._rings.clear()
        self._events.clear()


@dataclass(frozen=True)
class _Ring:
    event: int  # that it was mapped for; others write to it too
    memory: mmap.mmap
    size: int
    parents: dict[int, int]  # of processes, noted as they are made

    @classmethod
    def of(cls, event: int, size: int, parents: dict[int, int]) -> _Ring:
        """Of that size, or of one that anybody may have. Raises SamplesRefused."""
        try:
            return cls(event, mmap.mmap(event, mmap.PAGESIZE + size), size, parents)
        except OSError as error:
            if size > _SMALL_RING_BYTES:
                return cls.of(event, _SMALL_RING_BYTES, parents)
            raise SamplesRefused(f"no room for records: {error}") from error

    @property
    def written(self) -> int:
        """How far the kernel has written."""
        return self._position(_HEAD)

    def read(self, end: int) -> Iterator[ClockSample]:
        """The samples up to there; what they say stays where it is."""
        tail = self._position(_TAIL)
        while tail < end:
            kind, mode, size = struct.unpack("<IHH", self._bytes(tail, 8))
            if kind == _SAMPLE_RECORD:
                identity = self._bytes(tail + _IDENTITY, _FIRST_REGISTER - _IDENTITY)
                pid, tid, time_ns, known = struct.unpack("<IIQQ", identity)
                if known:  # else it has no code of its own: it is ending
                    copy = functools.partial(self._bytes, tail, size)
                    yield ClockSample(pid, tid, time_ns, mode & _MODE == _IN_KERNEL, copy)
            elif kind == _CHILD_RECORD:
                pid, parent = struct.unpack("<II", self._bytes(tail + 8, 8))
                if pid != parent:
                    self.parents[pid] = parent
            tail += size

    def release(self, end: int) -> None:
        """The kernel may write over what comes before."""
        struct.pack_into("<Q", self.memory, _TAIL, end)

    def _position(self, place: int) -> int:
        found: int = struct.unpack_from("<Q", self.memory, place)[0]
        return found

    def _bytes(self, position: int, size: int) -> bytes:
        start = mmap.PAGESIZE + position % self.size
        first = mmap.PAGESIZE + self.size - start
        if size <= first:
            return self.memory[start : start + size]
        rest = mmap.PAGESIZE + size - first
        return self.memory[start : start + first] + self.memory[mmap.PAGESIZE : rest]


def _ring_bytes(processors: int) -> int:
    """A power of two, as the kernel wants it; smaller where there are many processors."""
    most = _MOST_RING_BYTES // processors
    return max(_SMALL_RING_BYTES, min(_RING_BYTES, 1 << most.bit_length() - 1))


def _registers(values: dict[int, int]) -> Registers:
    if platform.machine() == "x86_64":
        general = tuple((dwarf, values[number]) for number, dwarf in _X86)
        return Registers(values[_X86_PC], values[_X86_STACK], 0, False, general)
    general = tuple((dwarf, values[number]) for number, dwarf in _ARM)
    return Registers(values[_ARM_PC], values[_ARM_STACK], values[_ARM_LINK], False, general)


@functools.cache
def _register_numbers() -> tuple[int, ...]:
    """Those that are written down, in their order."""
    if platform.machine() == "x86_64":
        return tuple(sorted([*(number for number, _ in _X86), _X86_STACK, _X86_PC]))
    return tuple(sorted([*(number for number, _ in _ARM), _ARM_STACK, _ARM_PC]))


def sampling(period_ns: int) -> bytearray:
    """What describes an event that is written down after every so much processor time."""
    what = bytearray(_ATTRIBUTES)
    wanted = _IP | _TID | _TIME | _REGISTERS | _STACK
    flags = _DISABLED | _INHERIT | _EXCLUDE_HYPERVISOR | _TELL_OF_CHILDREN
    struct.pack_into("<IIQQQ", what, 0, _SOFTWARE, _ATTRIBUTES, _TASK_CLOCK, period_ns, wanted)
    struct.pack_into("<Q", what, 40, flags)
    mask = sum(1 << number for number in _register_numbers())
    struct.pack_into("<QI", what, 80, mask, _STACK_BYTES)
    return what


def counting() -> bytearray:
    """What describes an event that only counts processor time, from now on."""
    what = bytearray(_ATTRIBUTES)
    struct.pack_into("<IIQ", what, 0, _SOFTWARE, _ATTRIBUTES, _TASK_CLOCK)
    struct.pack_into("<Q", what, 40, _INHERIT | _EXCLUDE_HYPERVISOR)
    return what


def opened(tid: int, processor: int, what: bytearray) -> int:
    """A descriptor. Raises ProcessLookupError where the thread is gone, or SamplesRefused."""
    if platform.machine() not in _OPEN_CALLS:
        raise SamplesRefused(f"not on {platform.machine()}")
    given = (ctypes.c_char * _ATTRIBUTES).from_buffer(what)
    call = _OPEN_CALLS[platform.machine()]
    event = int(_libc.syscall(call, given, tid, processor, -1, _CLOSE_ON_EXEC))
    if event >= 0:
        return event
    code = ctypes.get_errno()
    error = OSError(code, os.strerror(code))  # of the class that its code has
    if isinstance(error, ProcessLookupError):
        raise error
    raise SamplesRefused(str(error)) from error


@functools.cache
def _processors() -> tuple[int, ...]:
    """All that are there: a thread may leave those that this process was given."""
    text = Path("/sys/devices/system/cpu/online").read_text().strip()
    parts = [part.partition("-") for part in text.split(",")]
    return tuple(n for low, _, high in parts for n in range(int(low), int(high or low) + 1))
