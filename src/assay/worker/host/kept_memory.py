"""Kept memory: what the judge frees it takes again, and the kernel need not fill it with zeros.

The rule: references make and drop tensors of the same sizes hundreds of times. By default glibc
gives each one of 32 MiB or more back to the kernel, and a third of the time for truths goes into
faulting new pages in. Up to a limit the process keeps them; elsewhere than glibc nothing happens.
"""

from __future__ import annotations

import contextlib
import ctypes

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_LARGEST = 512 << 20  # of one tensor
_KEPT = 2047 << 20  # of all that is free; an int holds no more


def keep_freed_memory() -> None:
    """For the rest of this process's life."""
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_MMAP_THRESHOLD, _LARGEST)
        mallopt(_M_TRIM_THRESHOLD, _KEPT)
