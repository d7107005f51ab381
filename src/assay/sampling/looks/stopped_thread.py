"""StoppedThread: one thread of another process, stopped for some microseconds and read.

The rule: a thread is attached, read and let go within one call, so that between samples nothing is
traced. The one exception is a thread that does not stop in time (frozen, or deep in the kernel):
it is let go as soon as it stops, and at the latest when the calling thread ends, because the
kernel detaches whatever a thread that ends has attached. All calls come from one thread.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.restype = ctypes.c_long
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]

_SEIZE, _INTERRUPT, _DETACH, _GETREGSET = 0x4206, 0x4207, 17, 0x4204
_PRSTATUS, _ARM_SYSTEM_CALL = 1, 0x404
_WAIT_ALL = 0x40000000  # __WALL: threads are no children in the ordinary sense
_LOOK = os.WEXITED | os.WSTOPPED | os.WNOHANG | os.WNOWAIT | _WAIT_ALL
_STOPPED = (os.CLD_TRAPPED, os.CLD_STOPPED)
_EVENT_STOP = 128
_STOP_TIMEOUT_S = 0.02  # 10 to 60 us are usual; a thread waiting for a processor needs longer
_POLL_S = 10e-6
_POLL_SHARE = 0.25  # of the time waited so far: on a busy machine a thread stops after milliseconds
_POLLS_AT_ONCE = 2
_NO_CALL = (1 << 64) - 1
# DWARF's number of a register and its place in the kernel's structure; r10 begins realigned frames.
_X86_PLACES = ((3, 5), (6, 4), (10, 7), (12, 3), (13, 2), (14, 1), (15, 0))
STACK_REGISTER = 7 if platform.machine() == "x86_64" else 31


class NotStopped(Exception):
    """The thread is gone, or did not stop in time."""


class AttachRefused(NotStopped):
    """The kernel does not let us trace it; an exiting thread looks the same."""


@dataclass(frozen=True)
class Registers:
    """Where a thread was."""

    pc: int
    stack: int
    link: int  # the return address where the architecture keeps it in a register, else 0
    in_system_call: bool
    general: tuple[tuple[int, int], ...] = ()  # all others, by the numbers compilers give them


class _Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def supported() -> bool:
    """Whether the registers of this architecture are known here."""
    return platform.machine() in ("x86_64", "aarch64")


class ThreadStopper:
    """Stops threads one at a time; owed are those that have yet to stop and be let go."""

    def __init__(self) -> None:
        self._owed: set[int] = set()

    @contextlib.contextmanager
    def stopped(self, tid: int) -> Iterator[Registers]:
        """The thread's registers, while it stands still. Raises NotStopped."""
        if tid in self._owed:
            raise NotStopped(f"thread {tid} has yet to stop")
        _seize(tid)
        self._owed.add(tid)
        number = self._await_stop(tid)
        try:
            yield _registers(tid)
        finally:
            self._let_go(tid, number)

    def settle(self) -> None:
        """Let go of threads that stopped too late."""
        for tid in list(self._owed):
            with contextlib.suppress(NotStopped):
                number = self._stop_signal(tid)
                if number is not None:
                    self._let_go(tid, number)

    @property
    def owed(self) -> int:
        """Threads that are still attached."""
        return len(self._owed)

    def _await_stop(self, tid: int) -> int:
        """The signal that is to be handed on when the thread goes on; 0 for none."""
        with contextlib.suppress(ProcessLookupError):  # killed; that is seen below
            _ptrace(_INTERRUPT, tid, 0, 0)
        began_s, polls = time.monotonic(), 0
        while (number := self._stop_signal(tid)) is None:
            waited_s = time.monotonic() - began_s
            if waited_s > _STOP_TIMEOUT_S:
                raise NotStopped(f"thread {tid} did not stop in time")
            polls += 1
            longer_s = max(_POLL_S, _POLL_SHARE * waited_s)
            time.sleep(0 if polls <= _POLLS_AT_ONCE else longer_s)
        return number

    def _stop_signal(self, tid: int) -> int | None:
        """None while it runs. Never blocks."""
        try:
            found = os.waitid(os.P_PID, tid, _LOOK)
        except ChildProcessError as error:  # its end was told to somebody else
            self._owed.discard(tid)
            raise NotStopped(f"thread {tid} is gone") from error
        if found is None:
            return None
        if found.si_code not in _STOPPED:
            self._owed.discard(tid)
            _pass_on_end(tid)
            raise NotStopped(f"thread {tid} ended")
        number, event = found.si_status & 0xFF, found.si_status >> 8
        return 0 if event == _EVENT_STOP else number  # our interruption, or a stop of everything

    def _let_go(self, tid: int, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):  # killed while it stood still: still owed,
            _ptrace(_DETACH, tid, 0, number)  # and its parent hears nothing before we took note
            self._owed.discard(tid)


def _pass_on_end(tid: int) -> None:
    """Its parent hears of its end once we have taken note; where that is us, others wait for it."""
    with contextlib.suppress(OSError, IndexError):
        with open(f"/proc/{tid}/stat", "rb") as file:
            parent = int(file.read().rpartition(b") ")[2].split()[1])
        if parent != os.getpid():
            os.waitpid(tid, _WAIT_ALL | os.WNOHANG)


def _seize(tid: int) -> None:
    try:
        _ptrace(_SEIZE, tid, 0, 0)
    except PermissionError as error:
        raise AttachRefused(str(error)) from error
    except ProcessLookupError as error:
        raise NotStopped(str(error)) from error


def _registers(tid: int) -> Registers:
    try:
        if platform.machine() == "x86_64":
            words = struct.unpack("<27Q", _register_set(tid, _PRSTATUS, 27 * 8))
            general = tuple((number, words[place]) for number, place in _X86_PLACES)
            return Registers(words[16], words[19], 0, words[15] != _NO_CALL, general)
        words = struct.unpack("<34Q", _register_set(tid, _PRSTATUS, 34 * 8))
        (call,) = struct.unpack("<i", _register_set(tid, _ARM_SYSTEM_CALL, 4))
        general = tuple(enumerate(words[:31]))
        return Registers(words[32], words[31], words[30], call != -1, general)
    except ProcessLookupError as error:
        raise NotStopped(str(error)) from error


def _register_set(tid: int, kind: int, size: int) -> bytes:
    buffer = ctypes.create_string_buffer(size)
    vector = _Vector(ctypes.addressof(buffer), size)
    _ptrace(_GETREGSET, tid, kind, ctypes.addressof(vector))
    return buffer.raw


def _ptrace(request: int, tid: int, address: int, data: int) -> None:
    if _libc.ptrace(request, tid, address, data) == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"ptrace {request:#x} of {tid}: {os.strerror(code)}")
