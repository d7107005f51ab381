"""Native settings: those of MKL and OpenMP below torch, asked of their own functions.

The rule: torch's names do not show them (`torch.get_num_threads` says two where MKL was told to use
one), and what torch itself sets in passing is none of the candidate's. A build of torch without one
of the functions has no such setting.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
from collections.abc import Callable, Iterator, Mapping

import torch

_TORCHS_COUNT = "torch.num_threads"
_NUMBER = re.compile(r"\d+")
_COUNTS = ("mkl.num_threads", "mkl.process_threads")
_ACCURACY = 0xF  # the bits of VML's mode that torch leaves alone: it sets others in its operations


def native_settings() -> dict[str, str]:
    """Those of the calling thread and of the process, where torch's library has them."""
    library = _torchs_library()
    if library is None:
        return {}
    readers: dict[str, Callable[[ctypes.CDLL], object]] = {
        "mkl.num_threads": _own_threads,
        "mkl.process_threads": _process_threads,
        "mkl.accuracy": lambda mkl: mkl.vmlGetMode() & _ACCURACY,
        "omp.dynamic": lambda openmp: openmp.omp_get_dynamic(),
        # The number itself says little: Numba lowers it, and one level is enough for torch.
        "omp.parallel": lambda openmp: openmp.omp_get_max_active_levels() > 0,
    }
    found = {name: _read(reader, library) for name, reader in readers.items()}
    return {name: text for name, text in found.items() if text}


def follows_torch(name: str, settings: Mapping[str, str]) -> bool:
    """Whether it is a thread count of MKL that torch has or was given: that is told of as torch's.

    `torch.set_num_threads` sets MKL's count too, and OpenMP's functions change torch's alone. 0 is
    no count of its own.
    """
    return name in _COUNTS and settings[name] in ("0", *_NUMBER.findall(settings[_TORCHS_COUNT]))


@contextlib.contextmanager
def kept_mkl_threads() -> Iterator[None]:
    """MKL's count of the calling thread is afterwards what it was, although torch's is set."""
    library = _torchs_library()
    count = _read(_own_threads, library) if library is not None else ""
    try:
        yield
    finally:
        if library is not None and count:
            library.MKL_Set_Num_Threads_Local(int(count))


def _torchs_library() -> ctypes.CDLL | None:
    path = os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so")
    try:
        return ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return None


def _read(reader: Callable[[ctypes.CDLL], object], library: ctypes.CDLL) -> str:
    try:
        return str(reader(library))
    except AttributeError:  # no such function in this build
        return ""


def _own_threads(mkl: ctypes.CDLL) -> int:
    """Of the calling thread. Asked by setting it: no function reads it alone."""
    count = int(mkl.MKL_Set_Num_Threads_Local(0))
    mkl.MKL_Set_Num_Threads_Local(count)
    return count


def _process_threads(mkl: ctypes.CDLL) -> int:
    """Of threads without a count of their own; OpenMP's, unless somebody set it."""
    own = mkl.MKL_Set_Num_Threads_Local(0)
    count = int(mkl.MKL_Get_Max_Threads())
    mkl.MKL_Set_Num_Threads_Local(own)
    return count
