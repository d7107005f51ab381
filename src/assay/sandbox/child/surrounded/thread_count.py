"""Thread count: one thread for all who compute, for as long as a call takes.

The rule: what was set before is set again afterwards, whatever the call did.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import torch


@contextlib.contextmanager
def thread_count(one: bool) -> Iterator[None]:
    """One thread for the library, OpenMP and Numba, while a call lasts; past our own watch."""
    pool = _numba_pool() if one else None
    before, of_numba = torch.get_num_threads(), pool.get_num_threads() if pool else 0
    if one:
        torch._C.set_num_threads(1)
    if pool:
        pool.set_num_threads(1)
    try:
        yield
    finally:
        if one:
            torch._C.set_num_threads(before)
        if pool:
            pool.set_num_threads(of_numba)


def _numba_pool() -> Any:
    """Numba's threads, where some were started: asking for them would start them."""
    pool = sys.modules.get("numba.np.ufunc.parallel")
    return pool if pool is not None and getattr(pool, "_is_initialized", False) else None
