"""The judge process's own memory: what is resident, what it keeps or gives back, and collections.

The rule: elsewhere than Linux with glibc nothing is kept or given back, and nothing fails. Python's
collector never walks over what imports made: it lives as long as the process.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import sys
from collections.abc import Iterator

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


@contextlib.contextmanager
def importing(module: str) -> Iterator[None]:
    """No collection while it is imported, and no later one looks at what there is by then.

    Torch and our modules are 200,000 objects: a full collection of them takes 0.09 s. Once the
    module is there nothing is left out any more: what jobs make must be collected.
    """
    if module in sys.modules:
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def give_back_freed() -> None:
    """Return freed memory to the system, which `keep_freed_memory` otherwise holds."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
