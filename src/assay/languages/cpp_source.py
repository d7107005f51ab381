"""A bare C++ file as a candidate: compiled to a plain shared object and called by ctypes.

The rule: no Python and no torch headers in it. The file includes `assay.h` (written beside it) and
defines

    extern "C" const char* forward(const assay_tensor* inputs, int n_inputs,
                                   assay_tensor* outputs, int n_outputs);

which returns NULL, or a message that becomes a RuntimeError. The output is contiguous and shaped
like the first input unless the file also defines

    extern "C" const char* output_shape(const assay_tensor* inputs, int n_inputs,
                                        int64_t* shape, int32_t* ndim, int32_t* dtype);

(`shape` has room for 16 sizes; `ndim` and `dtype` come in as those of the first input). Inputs are
tensors with their strides, in forward's order; numbers come as tensors of no dimensions. The shim
does not know a task's weights, so this form serves tasks without parameters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.languages.cpp_language import CppLanguage
from assay.languages.language import MAIN

if TYPE_CHECKING:
    from assay.data.candidate import Candidate
    from assay.languages.source_use import SourceUse

COMPILE_FLAGS = ("-O3", "-march=native", "-std=c++17", "-fPIC", "-fopenmp")
HEADER_FOLDER, HEADER_NAME = "headers", "standard.h"  # in the scratch folder, until it is compiled
# Headers whose content no line of a candidate's before them can change.
_STANDARD = frozenset(
    """algorithm array bit cfloat chrono climits cmath complex cstddef cstdint cstdio cstdlib
    cstring float.h functional immintrin.h initializer_list iterator limits limits.h map math.h
    memory new numeric omp.h stddef.h stdint.h stdio.h stdlib.h string string.h string_view thread
    tuple type_traits unordered_map utility vector x86intrin.h""".split()
)
_INCLUDE = re.compile(r"#\s*include\s*<([\w.]+)>\s*(?://[^\\]*)?")
_CPP_LINE = re.compile(r'^\s*(?:#\s*include\s*[<"]|extern\s+"C")', re.MULTILINE)
_PYTHON_LINE = re.compile(r"^(?:import|from|class|def)\s+\w", re.MULTILINE)

HEADER = """\
#pragma once
#include <stdint.h>
enum { ASSAY_F32 = 0, ASSAY_F64 = 1, ASSAY_F16 = 2, ASSAY_BF16 = 3, ASSAY_I8 = 4, ASSAY_I16 = 5,
       ASSAY_I32 = 6, ASSAY_I64 = 7, ASSAY_U8 = 8, ASSAY_BOOL = 9 };
struct assay_tensor {
  void* data;
  int64_t ndim;
  const int64_t* shape;
  const int64_t* stride;  /* in elements */
  int32_t dtype;
};
#ifdef __cplusplus
extern "C" {
#endif
const char* forward(const struct assay_tensor* inputs, int n_inputs,
                    struct assay_tensor* outputs, int n_outputs);
const char* output_shape(const struct assay_tensor* inputs, int n_inputs,
                         int64_t* shape, int32_t* ndim, int32_t* dtype);
#ifdef __cplusplus
}
#endif
"""

# Runs in the sandbox. The source and header are filled in with repr(), so any text is safe.
_SHIM = """\
import ctypes, os, shutil, subprocess, tempfile
import torch

_SOURCES = {sources!r}
_MAIN = {main!r}
_FLAGS = [*{flags!r}, "-shared"]
_HEADERS = os.path.join(tempfile.gettempdir(), {header_folder!r})
_DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.int16,
           torch.int32, torch.int64, torch.uint8, torch.bool]
_CODES = {{dtype: code for code, dtype in enumerate(_DTYPES)}}


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("ndim", ctypes.c_int64),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("stride", ctypes.POINTER(ctypes.c_int64)), ("dtype", ctypes.c_int32)]


def _build():
    folder = tempfile.mkdtemp(prefix="kernel_", dir=tempfile.gettempdir())
    for name, text in _SOURCES.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        raise RuntimeError("no C++ compiler on PATH")
    built = os.path.join(folder, "kernel.so")
    units = [os.path.join(folder, n) for n in _SOURCES if n.endswith((".cpp", ".cc", ".cxx"))]
    line = [compiler, *_FLAGS, "-I", folder, "-o", built, *units]
    precompiled = os.path.join(_HEADERS, {header_name!r})
    first = ["-include", precompiled] if os.path.exists(precompiled) else []
    done = subprocess.run([*line, *first], capture_output=True, text=True)
    if done.returncode != 0 and first:  # its own words are said without them
        done = subprocess.run(line, capture_output=True, text=True)
    shutil.rmtree(_HEADERS, ignore_errors=True)
    if done.returncode != 0:
        raise RuntimeError("the compiler refused the source:\\n" + done.stderr.replace(folder, "."))
    library = ctypes.CDLL(built)
    if not hasattr(library, "forward"):
        raise RuntimeError('the source defines no extern "C" function forward')
    return library


_library = _build()
_library.forward.restype = ctypes.c_char_p
_has_shape = hasattr(_library, "output_shape")
if _has_shape:
    _library.output_shape.restype = ctypes.c_char_p


def _describe(tensor):
    if tensor.dtype not in _CODES:
        raise TypeError("dtype %s has no code in assay.h" % tensor.dtype)
    sizes = (ctypes.c_int64 * max(tensor.dim(), 1))(*tensor.shape)
    steps = (ctypes.c_int64 * max(tensor.dim(), 1))(*tensor.stride())
    return _Tensor(tensor.data_ptr(), tensor.dim(), sizes, steps, _CODES[tensor.dtype])


def _check(message):
    if message is not None:
        raise RuntimeError(message.decode("utf-8", "replace"))


class ModelNew(torch.nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, *inputs):
        tensors = [x if isinstance(x, torch.Tensor) else torch.tensor(x) for x in inputs]
        given = (_Tensor * len(tensors))(*[_describe(tensor) for tensor in tensors])
        shape, dtype = list(tensors[0].shape), tensors[0].dtype
        if _has_shape:
            sizes = (ctypes.c_int64 * 16)(*shape)
            ndim, code = ctypes.c_int32(len(shape)), ctypes.c_int32(_CODES[dtype])
            _check(_library.output_shape(given, len(tensors), sizes, ctypes.byref(ndim),
                                         ctypes.byref(code)))
            if not 0 <= ndim.value <= 16 or not 0 <= code.value < len(_DTYPES):
                raise RuntimeError("output_shape gave an impossible shape or dtype")
            shape, dtype = list(sizes[: ndim.value]), _DTYPES[code.value]
        output = torch.empty(shape, dtype=dtype)
        made = (_Tensor * 1)(_describe(output))
        _check(_library.forward(given, len(tensors), made, 1))
        return output
"""


def python_module(candidate: Candidate) -> str:
    """The text of a Python module whose ModelNew compiles and calls the candidate's C++."""
    sources = {file.path: file.text for file in candidate.sources}
    sources.setdefault("assay.h", HEADER)
    return _SHIM.format(
        sources=sources,
        main=candidate.main.path,
        flags=COMPILE_FLAGS,
        header_folder=HEADER_FOLDER,
        header_name=HEADER_NAME,
    )


def leading_includes(text: str) -> str:
    """The standard headers that a source includes before anything else, a line for each.

    What comes before them are comments of one line each, so nothing changes what is in them.
    """
    found = []
    for line in (one.strip() for one in text.splitlines()):
        include = _INCLUDE.fullmatch(line)
        if include is not None and include[1] in _STANDARD:
            found.append(f"#include <{include[1]}>\n")
        elif line and not (line.startswith("//") and "\\" not in line):
            break
    return "".join(found)


class CppSourceLanguage(CppLanguage):
    """Bare `.cpp` candidates."""

    name = "cpp_source"
    suffixes = (".cpp", ".cc", ".cxx")
    native = True
    preload = ("torch",)
    builds_extensions = False

    def detect(self, use: SourceUse) -> bool:
        """By its files alone."""
        return not use.is_python and use.paths[0].endswith(self.suffixes)

    def suffix_of(self, text: str) -> str | None:
        """Of text that includes headers and has no line of Python."""
        bare = _CPP_LINE.search(text) is not None and _PYTHON_LINE.search(text) is None
        return self.suffixes[0] if bare else None

    def leading_headers(self, candidate: Candidate) -> str:
        """Of its one unit; a header beside it may be in the way of a standard one."""
        return leading_includes(candidate.main.text) if len(candidate.sources) == 1 else ""

    def files(self, candidate: Candidate) -> Mapping[str, str]:
        """A Python module that compiles it."""
        return {MAIN: python_module(candidate)}
