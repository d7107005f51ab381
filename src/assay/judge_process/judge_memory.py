"""The judge process's own memory: how much is resident, and giving back what is free.

The rule: elsewhere than Linux with glibc nothing is given back, and nothing fails.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os


def resident_bytes() -> int:
    """Of this process, now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def give_back_freed() -> None:
    """Return freed memory to the system, which `keep_freed_memory` otherwise holds."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
