"""The judge process's own memory: how much is resident, giving back what is free, and collections.

The rule: elsewhere than Linux with glibc nothing is given back, and nothing fails. Python's
collector never walks over what imports made: it lives as long as the process.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import sys
from collections.abc import Iterator


def resident_bytes() -> int:
    """Of this process, now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


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
