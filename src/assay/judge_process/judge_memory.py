"""The judge process's own memory: how much is resident, what it keeps, and giving that back.

The rule: elsewhere than Linux with glibc nothing is kept or given back, and nothing fails.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_LARGEST = 512 << 20  # of one tensor
_KEPT = 2047 << 20  # of all that is free; an int holds no more


def resident_bytes() -> int:
    """Of this process, now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def keep_freed_memory() -> None:
    """Let this process keep what it frees, up to a limit, for the rest of its life.

    References make and drop tensors of the same sizes hundreds of times. By default glibc gives
    each one of 32 MiB or more back to the kernel, and a third of the time for truths goes into
    faulting new pages in.
    """
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_MMAP_THRESHOLD, _LARGEST)
        mallopt(_M_TRIM_THRESHOLD, _KEPT)


def give_back_freed() -> None:
    """Return freed memory to the system, which `keep_freed_memory` otherwise holds."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
