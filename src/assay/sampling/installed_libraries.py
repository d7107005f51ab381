"""InstalledLibraries: the object files on this machine that computing functions can be copied from.

The rule: torch and NumPy with the libraries and archives that wheels bring along, the BLAS and
Fortran libraries of the system, and CPython's own. Packages that compile and load a candidate's
kernels are its tools and are left out; so are libraries made of public headers (pybind11,
pocketfft), which an honest candidate may compile too.
"""

from __future__ import annotations

import os
import re
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from assay.sampling.compute_names import is_interpreter_file

_PACKAGED = ("torch/lib/*", "numpy/*/*", "numpy/random/lib/*", "*.libs/*")
_SYSTEM = ("lib/*", "lib64/*", "lib/*-linux-gnu/*", "lib/*-linux-gnu/*/*", "local/lib/*")
_COMPUTING = re.compile(
    r"lib(torch|torch_cpu|\w*blas|\w*lapack|gfortran|mkl|dnnl|fftw|gsl|atlas|blis)(\d*[._-].*)?\.so.*"
    r"|_(multiarray_umath|umath_linalg)\..*\.so"
    r"|libnpyrandom\.a"  # NumPy's generators hold the same code, without symbols
)
_SUPPORT = re.compile(r"lib(stdc\+\+|c|m|mvec|gcc_s|gomp|c10|torch_python)\.so[.\d]*")


def computing_libraries() -> tuple[str, ...]:
    """Paths without links, each once, the smallest first."""
    return _distinct([p for p in _all() if _COMPUTING.fullmatch(p.name)] + _interpreter())


def support_libraries() -> tuple[str, ...]:
    """Run-time libraries whose code is linked or compiled into honest candidates too."""
    return _distinct(p for p in _all() if _SUPPORT.fullmatch(p.name))


def _all() -> list[Path]:
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    found = [p for folder in folders for pattern in _PACKAGED for p in Path(folder).glob(pattern)]
    prefixes = (Path("/usr"), Path(sysconfig.get_config_var("prefix")))
    return found + [p for prefix in prefixes for pattern in _SYSTEM for p in prefix.glob(pattern)]


def _interpreter() -> list[Path]:
    modules = Path(sysconfig.get_path("stdlib")) / "lib-dynload"
    folder, name = sysconfig.get_config_vars("LIBDIR", "LDLIBRARY")
    found = [*modules.glob("*.so"), Path(folder or "") / str(name)]
    return [p for p in found if is_interpreter_file(p.name)]


def _distinct(paths: Iterable[Path]) -> tuple[str, ...]:
    found = {os.path.realpath(path) for path in paths}
    sizes = {path: os.path.getsize(path) for path in found if os.path.isfile(path)}
    return tuple(sorted(sizes, key=lambda path: (sizes[path], path)))
