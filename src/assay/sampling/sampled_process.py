"""SampledProcess: one process of a tree: its threads, its mappings, its memory; and a look into it.

The rule: nothing is asked of the process and nothing in it is changed. What a thread works on is
its own code where the code speaks for itself, else that of whoever called it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from assay.sampling.compute_names import computes_in_parts
from assay.sampling.library_functions import library_functions
from assay.sampling.looks.stopped_thread import STACK_REGISTER, Registers
from assay.sampling.mapped_objects import MappedObjects, MappedRange, Owner, Words
from assay.sampling.operator_frames import computes, operator_frames
from assay.sampling.stack_frame import StackFrame
from assay.sampling.unwind_table import Unknown, unwind_table

_STACK_BYTES = 32 << 10  # copied of a stopped thread
_BLOCK = 256  # bytes: instructions in one block share a window
_AROUND = 2048  # bytes of code on both sides of the block
_PAGE = 4096
_NEAR = 16  # callers that are looked at
_DEEPEST = 64  # frames; from a kernel of torch's to Python are some 15
_INSTALLED = (Owner.LIBRARY, Owner.NEUTRAL, Owner.MATHEMATICS)
# NumPy generates no code: what it loops over in anonymous pages is a ufunc of the candidate's.
_LOOPS = ("_multiarray_umath", "_umath")
_WORK_FOR_OTHERS = (Owner.GENERATED, Owner.MATHEMATICS)
# What libraries generate (oneDNN) calls no mathematics; what Numba generates does.
_CALL_MATHEMATICS = (Owner.OWN, Owner.GENERATED)
_CALL_TORCH = (Owner.OWN, Owner.GENERATED, Owner.INTERPRETER)
_C_LIBRARY = ("libc.", "libc-", "libpthread", "ld-")  # a thread or a context begins there


class _Forged(Exception):
    """A stack that no calls have made."""


@dataclass(frozen=True)
class Look:
    """One thread at one moment."""

    process: SampledProcess
    tid: int
    registers: Registers
    stack: Words
    code: SampledCode

    def responsible(self) -> tuple[Owner, str]:
        """Whose work the thread is doing, and the name of the object that does it."""
        if self.registers.in_system_call:
            return Owner.KERNEL, ""
        found = self.process.objects.find(self.registers.pc)
        if found is None:
            return Owner.UNKNOWN, ""
        if found.owner not in _WORK_FOR_OTHERS and not self._is_mathematics(found):
            function = self._part_that_computes(found)
            return (Owner.LIBRARY, function) if function else (found.owner, found.name)
        if found.owner is not Owner.GENERATED and self._caller_by_tables() in _CALL_MATHEMATICS:
            return Owner.OWN, found.name
        callers = list(self._callers())
        last = callers[-1] if callers else found
        generated = Owner.GENERATED in (found.owner, *(c.owner for c in callers))
        jitted = generated and (last.name.startswith(_LOOPS) or self._is_numbas())
        if last.owner in (Owner.OWN, Owner.LIBRARY) and not jitted:
            return last.owner, f"{found.name} of {last.name}"
        if generated:
            return Owner.OWN, found.name
        return (last.owner if callers else Owner.NEUTRAL), found.name

    @property
    def is_generated(self) -> bool:
        """Whether it lies in pages that were written since the process began."""
        found = self.process.objects.find(self.registers.pc)
        return found is not None and found.owner is Owner.GENERATED

    def _is_mathematics(self, found: MappedRange) -> bool:
        """Sleef's functions lie inside of torch, and C++ that torch.compile writes calls them."""
        if found.owner is not Owner.LIBRARY:
            return False
        functions = library_functions(found.path)
        offset = self.registers.pc - found.start + found.offset
        return functions is not None and functions.is_mathematics_at(offset)

    def _part_that_computes(self, found: MappedRange) -> str:
        """Of a file most of which speaks for nobody: libgfortran's matmul, CPython's fsum."""
        if not computes_in_parts(found.name) or found.owner is Owner.OWN:
            return ""
        functions = library_functions(found.path)
        offset = self.registers.pc - found.start + found.offset
        name = functions.computes_at(offset) if functions is not None else ""
        return f"{name} of {found.name}" if name else ""

    def c_function(self) -> str:
        """The computing function of a library that has a C name: MKL's, XNNPACK's inside of torch.

        What torch itself computes in has mangled names.
        """
        found = self.process.objects.find(self.registers.pc)
        functions = library_functions(found.path) if found is not None else None
        if found is None or functions is None:
            return ""
        name = functions.computes_at(self.registers.pc - found.start + found.offset)
        return "" if name.startswith("_Z") else name

    def operators(self) -> frozenset[str] | None:
        """Torch operators between the code and whoever called torch; None where that is unknown.

        A stack that begins in torch itself, not in a pool of threads, was made to hide who called,
        and so was one that returns to where nobody was called from.
        """
        found: set[str] = set()
        passed: list[str] = []
        try:
            for frame, mapped in self._frames():
                if mapped.owner in _CALL_TORCH:
                    return frozenset(found - {""})
                passed.append(mapped.name)
                if mapped.name.startswith("libtorch"):
                    frames = operator_frames(mapped.path)
                    found.add(frames.name_at(frame.pc, mapped) if frames else "")
        except _Forged:
            return frozenset()
        except Unknown:
            computing = frozenset(name for name in found if name and computes(name))
            if computing:
                return computing
        return frozenset(found - {""}) if _begins_in_torch(passed) else None

    def _frames(self) -> Iterator[tuple[StackFrame, MappedRange]]:
        """The thread's own frame and its callers', innermost first. Raises Unknown."""
        registers, objects = self.registers, self.process.objects
        base = registers.stack & ~7
        frame = StackFrame(registers.pc, registers.stack, dict(registers.general), base, self.stack)
        mapped = objects.holds(frame.pc)
        if mapped is not None and mapped.owner is Owner.GENERATED:  # it has no tables
            frame = self._behind_generated(frame)
            mapped = objects.holds(frame.pc)
        for depth in range(_DEEPEST):
            if mapped is None:
                raise Unknown("in no code")
            yield frame, mapped
            table = unwind_table(mapped.path) if mapped.owner in _INSTALLED else None
            if table is None:
                raise Unknown("code without tables")
            called = frame.pc - (depth > 0)  # the call, not what follows it
            address = called - mapped.start + mapped.offset + table.shift
            frame = frame.caller(table.rule(address), STACK_REGISTER)
            mapped = objects.holds(frame.pc)
            if self._is_forged(frame, mapped):
                raise _Forged

    def _is_forged(self, frame: StackFrame, mapped: MappedRange | None) -> bool:
        """Whether a caller's frame returns into torch, but not to what follows a call."""
        into_torch = mapped is not None and mapped.name.startswith("libtorch")
        return into_torch and not self.process.after_call(frame.pc)

    def _behind_generated(self, frame: StackFrame) -> StackFrame:
        """Where generated code returns to; it keeps no tables."""
        for index, word, mapped in self._returns():
            if mapped.owner is not Owner.GENERATED:
                return replace(frame, pc=word, stack_pointer=frame.base + 8 * (index + 1))
        raise Unknown("nobody called it")

    def _caller_by_tables(self) -> Owner | None:
        """Whose code calls the mathematics that the thread is in; None where tables do not say.

        A vector function aligns its frame: what lies in the gap is what torch left on the stack of
        a pooled thread before, and the nearest such word would pass for the caller.
        """
        try:
            for _, mapped in itertools.islice(self._frames(), 1, None):
                if mapped.owner is not Owner.MATHEMATICS:
                    return mapped.owner
        except (Unknown, _Forged):
            return None
        return None

    def _callers(self) -> Iterator[MappedRange]:
        """Up to the first in code that speaks for itself.

        Generated code keeps no frames that could be walked (oneDNN's kernels live in pages like
        Numba's functions do), but the stack holds the addresses to return to.
        """
        for _, _, mapped in self._returns():
            if mapped.owner is not Owner.NEUTRAL:
                yield mapped
                if mapped.owner not in _WORK_FOR_OTHERS:
                    return

    def _is_numbas(self) -> bool:
        """Whether Numba's dispatcher is among the nearest callers.

        The frame of generated code may hold what other code left on the stack before it, addresses
        in libraries included; so the nearest of those alone says nothing. (That a dispatcher may be
        such a remnant too is what the log of dispatched operations is for.)
        """
        callers = itertools.islice(self._returns(), _NEAR)
        return any(m.name.startswith("_dispatcher") and "/numba/" in m.path for _, _, m in callers)

    def _returns(self) -> Iterator[tuple[int, int, MappedRange]]:
        """Words that point into code, right behind a call, innermost first: index, word, code."""
        link = self.process.objects.holds(self.registers.link)
        if link is not None:
            yield -1, self.registers.link, link
        for index, mapped in self.process.objects.held(self.stack):
            word = int(self.stack[index])
            if self.process.after_call(word):
                yield index, word, mapped


@dataclass(frozen=True)
class SampledCode:
    """The machine code around an instruction. Neighbouring instructions share one window."""

    window: bytes
    at: int  # index of the instruction


def _begins_in_torch(passed: list[str]) -> bool:
    """Whether a stack of frames in these objects, innermost first, ends behind code of torch's."""
    callers = list(itertools.dropwhile(lambda name: name.startswith(_C_LIBRARY), reversed(passed)))
    return len(callers) < len(passed) and callers[:1] != [] and callers[0].startswith("libtorch")


def parent_of(pid: int) -> int:
    """The process that made it; 0 once it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            return int(file.read(512).rpartition(b") ")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


class SampledProcess:
    """Read by its number alone; all of it may be gone at any moment."""

    def __init__(self, pid: int, scratch: str, parent: SampledProcess | None = None) -> None:
        self.pid = pid
        of_parent: MappedObjects | None = parent.objects if parent is not None else None
        self.objects: MappedObjects = MappedObjects(pid, scratch, of_parent)
        self._parent = parent
        self._memory: int | None = None

    def threads(self) -> list[int]:
        """All of them; none once it is gone."""
        try:
            return [int(tid) for tid in os.listdir(f"/proc/{self.pid}/task")]
        except OSError:
            return []

    def running(self) -> list[int]:
        """Threads that run or wait for a processor."""
        return [tid for tid in self.threads() if self._state(tid) == b"R"]

    def _state(self, tid: int) -> bytes:
        try:
            with open(f"/proc/{self.pid}/task/{tid}/stat", "rb", buffering=0) as file:
                return file.read(512).rpartition(b") ")[2][:1]
        except OSError:
            return b""

    def ran_ns(self, tid: int) -> int | None:
        """Processor time that a thread has used; None where the kernel does not say."""
        try:
            with open(f"/proc/{self.pid}/task/{tid}/schedstat", "rb", buffering=0) as file:
                return int(file.read(64).split()[0])
        except (OSError, ValueError, IndexError):
            return None

    def stack(self, registers: Registers) -> Words:
        """The top of a stopped thread's stack."""
        data = self._read(registers.stack & ~7, _STACK_BYTES)
        return np.frombuffer(data[: len(data) & ~7], dtype=np.uint64)

    def code(self, registers: Registers) -> SampledCode:
        """What a stopped thread executes, and what lies around it."""
        first = max(0, (registers.pc & ~(_BLOCK - 1)) - _AROUND)
        length = 2 * _AROUND + _BLOCK
        window = self._read(first, length)
        if len(window) < length:  # a mapping begins or ends near by
            first = registers.pc & ~(_PAGE - 1)
            window = self._read(first, _PAGE)
        return SampledCode(window, registers.pc - first)

    def after_call(self, address: int) -> bool:
        """Whether the instruction before the address is a call."""
        code = self._read(address - 8, 8)
        if len(code) < 8:
            return False
        if platform.machine() == "aarch64":  # bl, blr
            word = int.from_bytes(code[4:], "little")
            return word >> 26 == 0x25 or word & 0xFFFFFC1F == 0xD63F0000
        indirect = any(code[-n] == 0xFF and (code[1 - n] >> 3) & 7 == 2 for n in (2, 3, 4, 6, 7))
        return code[-5] == 0xE8 or indirect

    def after_system_call(self, address: int) -> bool:
        """Whether the instruction before the address asks the kernel for something."""
        if platform.machine() == "aarch64":  # svc 0
            return self._read(address - 4, 4) == b"\x01\x00\x00\xd4"
        return self._read(address - 2, 2) in (b"\x0f\x05", b"\x0f\x34")

    def _read(self, address: int, size: int) -> bytes:
        """Of one that is gone what its parent has there: it began with the same memory."""
        with contextlib.suppress(OSError, OverflowError):
            if self._memory is None:
                self._memory = os.open(f"/proc/{self.pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
            found = os.pread(self._memory, size, address)
            if found:
                return found
        return self._parent._read(address, size) if self._parent is not None else b""

    def close(self) -> None:
        """Give the descriptor back."""
        if self._memory is not None:
            os.close(self._memory)
            self._memory = None
