"""ComputeNames: which functions of an installed library compute, by their symbol names.

The rule: only a function whose work is the library's own counts. Templates of the standard library
and of torch's public headers occur in honest candidates too, and mathematical functions of one
vector of registers (Sleef, SVML) work for whoever calls them: none of these is named here. MKL's
vector mathematics takes whole arrays, so it computes.
"""

from __future__ import annotations

import re

# NumPy's sorts take whole arrays, whoever compares the elements.
_MATHEMATICS = re.compile(
    rb"(_ZGV\w+_|_*)(Sleef|sleef|svml|npy_(?!a?(quick|heap|merge|tim|radix)sort)|mkl_serv)"
)
_SUPPORT = re.compile(
    rb"_init$|_fini$|_start|frame_dummy|register_tm|deregister_tm|__do_global|uv_"
)
# The kernels of ATen, oneDNN and FBGEMM carry their namespaces; those of MKL, XNNPACK and the
# other C libraries inside of torch are plain names. Everything else there is dispatch, autograd,
# the JIT and header templates.
_TORCH = (b"6native", b"4dnnl4impl", b"6fbgemm")
_TORCH_SUPPORT = (b"_Z", b"cpuinfo", b"pthreadpool", b"kineto", b"gloo", b"uv_")
# Functions of whole arrays. Those that a compiler calls to copy a section or to assign one are not.
_FORTRAN = re.compile(
    rb"_gfortran_m{0,2}s?(matmul|sum|product|norm2|dot|(max|min)(val|loc)|findloc|count|i?parity"
    rb"|i?(any|all)_|a?random_r|eoshift|cshift|(un)?pack|spread)"
)
_INTERPRETER = re.compile(rb"(math_(fsum|sumprod|prod|dist|hypot)|vector_norm|audioop_)")
# torch's public headers: compiled into a candidate they are the candidate's own.
_HEADERS = (b"_ZN2at3vec", b"_ZNK2at3vec")


def is_interpreter_file(file_name: str) -> bool:
    """Whether the file is CPython's own: its functions count only where they compute on arrays."""
    return file_name.startswith(("libpython", "python", "math.", "audioop."))


def computes_in_parts(file_name: str) -> bool:
    """Whether some functions of the file compute and the file as a whole speaks for nobody."""
    return is_interpreter_file(file_name) or file_name.startswith("libgfortran")


def is_mathematics(function: bytes) -> bool:
    """Whether a function of this name works for whoever calls it."""
    return _MATHEMATICS.match(function) is not None


def computes(file_name: str, function: bytes) -> bool:
    """Whether a function of the file with this name computes for itself."""
    if is_interpreter_file(file_name):
        return _INTERPRETER.match(function) is not None
    if file_name.startswith("libgfortran"):
        return _FORTRAN.match(function) is not None
    if is_mathematics(function) or _SUPPORT.match(function):
        return False
    if file_name.startswith("libtorch"):
        named = any(space in function for space in _TORCH)
        return not function.startswith(_HEADERS if named else _TORCH_SUPPORT)
    return True
