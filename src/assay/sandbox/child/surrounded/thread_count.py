"""Thread count: one thread for all who compute, or other numbers, for as long as a call takes.

The rule: what was set before is set again afterwards, whatever the call did.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator
from typing import Any

import torch

from assay.sandbox.child.untouched.native_settings import kept_mkl_threads

_MORE = 8  # than there were
_OPENMP = ("libgomp.so.1", "libomp.so", "libomp.so.5", "libiomp5.so")


@contextlib.contextmanager
def thread_count(one: bool, more: bool = False) -> Iterator[None]:
    """One thread for the library, OpenMP and Numba, while a call lasts; past our own watch.

    With `more` a few more for the first two: Numba has no more than it started with.
    """
    pool = _numba_pool() if one else None
    before, of_numba = torch.get_num_threads(), pool.get_num_threads() if pool else 0
    with kept_mkl_threads() if one or more else contextlib.nullcontext():
        if one or more:
            torch._C.set_num_threads(1 if one else before + _MORE)
        if pool:
            pool.set_num_threads(1)
        try:
            yield
        finally:
            if one or more:
                torch._C.set_num_threads(before)
            if pool:
                pool.set_num_threads(of_numba)


@contextlib.contextmanager
def smaller_teams(asked: bool) -> Iterator[None]:
    """OpenMP may start fewer threads than it is asked for, as OMP_DYNAMIC lets it."""
    libraries = [*map(_loaded, _OPENMP)] if asked else []
    before = [(one, one.omp_get_dynamic()) for one in libraries if one is not None]
    for library, _ in before:
        library.omp_set_dynamic(1)
    try:
        yield
    finally:
        for library, dynamic in before:
            library.omp_set_dynamic(dynamic)


def _loaded(name: str) -> ctypes.CDLL | None:
    """A library that is in this process already."""
    try:
        return ctypes.CDLL(name, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
    except OSError:
        return None


def _numba_pool() -> Any:
    """Numba's threads, where some were started: asking for them would start them."""
    pool = sys.modules.get("numba.np.ufunc.parallel")
    return pool if pool is not None and getattr(pool, "_is_initialized", False) else None
