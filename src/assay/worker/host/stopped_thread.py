"""StoppedThread: one thread of another process, stopped for some microseconds and read.

The rule: a thread is attached, read and let go within one call, so that between samples nothing is
traced. The one exception is a thread that does not stop in time (frozen, or deep in the kernel):
it is let go as soon as it stops, and at the latest when the calling thread ends, because the
kernel detaches whatever a thread that ends has attached. All calls come from one thread.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import signal
import struct
import time
from dataclasses import dataclass

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.restype = ctypes.c_long
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]

_SEIZE, _INTERRUPT, _DETACH, _GETREGSET = 0x4206, 0x4207, 17, 0x4204
_PRSTATUS, _ARM_SYSTEM_CALL = 1, 0x404
_WAIT_ALL = 0x40000000  # __WALL: threads are no children in the ordinary sense
_EVENT_STOP = 128
_STOP_TIMEOUT_S = 0.02  # 10 to 60 us are usual; a thread waiting for a processor needs longer
_POLL_S = 10e-6
_POLLS_AT_ONCE = 2


class NotStopped(Exception):
    """The thread is gone, or did not stop in time."""


class Refused(NotStopped):
    """The kernel does not let us trace it; an exiting thread looks the same."""


@dataclass(frozen=True)
class Registers:
    """Where a thread was."""

    pc: int
    stack: int
    link: int  # the return address where the architecture keeps it in a register, else 0
    in_system_call: bool


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
    def stopped(self, tid: int):  # type: ignore[no-untyped-def]
        """The thread's registers, while it stands still. Raises NotStopped."""
        raise NotImplementedError
