"""Compile flags: with which a unit is compiled outside the candidate's process.

The rule: a closed list. A flag that is not on it may load code, name a file of the candidate or
change how a compiler is run: then the unit is compiled the ordinary way, in the candidate's own
sandbox. Flags that are on it are kept as they are and in their order.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from assay.languages.extension.compile_unit import CompileTool

_VALUE = r"[\w.,:=+-]+"
_CXX = re.compile(
    rf"""-O(?:[0-3sgz]|fast)?|-g[0-3]?|-w|-W(?!l,|a,|p,)[\w=+-]*|-std=[\w+]+|-[DU]\w+(?:=.*)?|-pthread
    |-pipe|-pedantic|-m{_VALUE}|-fPIC|-fpic|-fopenmp(?:-simd)?|-fvisibility=\w+|-fmax-errors=\d+
    |-f(?:no-)?(?:fast-math|unroll-loops|unroll-all-loops|tree-vectorize|tree-slp-vectorize|math-errno
    |trapping-math|signed-zeros|finite-math-only|associative-math|reciprocal-math|rounding-math
    |unsafe-math-optimizations|strict-aliasing|omit-frame-pointer|inline-functions|inline|exceptions|rtti
    |permissive|vect-cost-model|prefetch-loop-arrays|semantic-interposition|plt|common|wrapv
    |signaling-nans|stack-protector|lto)
    |-ffp-contract=\w+|-fvect-cost-model=\w+|-fabi-version=\d+|-fdiagnostics-color=\w+""",
    re.VERBOSE | re.DOTALL,
)
_NVCC = re.compile(
    r"""-O[0-4]?|-g|-w|-std=[\w+]+|-[DU]\w+(?:=.*)?|--?gencode=arch=\w+,code=[\w,\[\]]+|--?arch=\w+|--?code=\w+
    |--?gpu-architecture=\w+|--?use_fast_math|--?expt-relaxed-constexpr|--?expt-extended-lambda
    |--?extended-lambda|--?lineinfo|--?generate-line-info|--?maxrregcount=\d+|--?restrict|--?ftz=\w+
    |--?fmad=\w+|--?prec-div=\w+|--?prec-sqrt=\w+|--?threads=\d+|-t=?\d+|--?split-compile=\d+
    |--?ptxas-options=[\w,=-]+|-Xptxas=[\w,=-]+|--?diag-suppress=[\d,]+|--?default-stream=\w+""",
    re.VERBOSE | re.DOTALL,
)
_NVCC_VALUES = {  # flags whose value comes as the next argument
    "-Xptxas": re.compile(r"[\w,=-]+"),
    "--ptxas-options": re.compile(r"[\w,=-]+"),
    "-Xcudafe": re.compile(r"--diag_suppress=\w+"),
    "-gencode": re.compile(r"arch=\w+,code=[\w,\[\]]+"),
    "--generate-code": re.compile(r"arch=\w+,code=[\w,\[\]]+"),
    "-arch": re.compile(r"\w+"),
    "-maxrregcount": re.compile(r"\d+"),
    "--maxrregcount": re.compile(r"\d+"),
    "--threads": re.compile(r"\d+"),
    "--diag-suppress": re.compile(r"[\d,]+"),
    "-diag-suppress": re.compile(r"[\d,]+"),
}
_HOST_FLAGS = ("-Xcompiler", "--compiler-options")
_FOLDERS = ("-I", "-isystem")
_CXX_PROGRAMS = ("c++", "g++")  # looked for on the PATH that candidates have too
_HEADER_FOLDER = re.compile(  # torch's, Python's and the toolkit's
    r"/.*(?:/torch/include(?:/torch/csrc/api/include)?|/include/python3\.\d+|/cuda[\w.-]*/include)"
)
# A header is precompiled with these alone; a macro of the candidate's could change what is in it.
_HEADER = re.compile(
    r"""-O(?:[0-3]|fast)|-fPIC|-fopenmp|-ffast-math|-funroll-loops|-march=native|-mtune=native|-mfma
    |-mavx(?:2|512f|512bw|512dq|512vl)?|-std=c\+\+(?:17|20)|-w|-Wall|-Wextra|-Wno-[a-z-]+|-DNDEBUG
    |-DTORCH_API_INCLUDE_EXTENSION_H|-D_GLIBCXX_USE_CXX11_ABI=[01]
    |-DPYBIND11_(?:COMPILER_TYPE|STDLIB|BUILD_ABI)="\w+\"""",
    re.VERBOSE,
)
_NAME = re.compile(r"-DTORCH_EXTENSION_NAME=\w+")  # differs, and no header of torch mentions it


def is_compiler(tool: CompileTool, program: str, scratch: str) -> bool:
    """Whether torch would run the system's compiler, or the toolkit's."""
    if tool is CompileTool.CXX:
        return program in _CXX_PROGRAMS
    return program.endswith("/bin/nvcc") and _is_outside(program, scratch)


def are_known(tool: CompileTool, arguments: Iterable[str], scratch: str) -> bool:
    """Whether every flag is on the list, and every folder is outside the scratch folder."""
    left = iter(arguments)
    check = _is_cxx if tool is CompileTool.CXX else _is_nvcc
    return all(check(one, left, scratch) for one in left)


def header_arguments(arguments: Iterable[str]) -> tuple[str, ...] | None:
    """With which torch's header is precompiled for such a unit; None where it is not."""
    kept: list[str] = []
    left = iter(arguments)
    for one in left:
        if one == "-isystem":
            kept += [one, next(left, "")]
            if _HEADER_FOLDER.fullmatch(kept[-1]) is None:
                return None
        elif _NAME.fullmatch(one) is None:
            if _HEADER.fullmatch(one) is None:
                return None
            kept.append(one)
    return tuple(kept)


def _is_cxx(argument: str, left: Iterator[str], scratch: str) -> bool:
    return _is_folder(argument, left, scratch) or _CXX.fullmatch(argument) is not None


def _is_nvcc(argument: str, left: Iterator[str], scratch: str) -> bool:
    if _is_folder(argument, left, scratch) or _NVCC.fullmatch(argument) is not None:
        return True
    if argument in _NVCC_VALUES:
        return _NVCC_VALUES[argument].fullmatch(next(left, "")) is not None
    name, _, value = argument.partition("=")
    if name not in _HOST_FLAGS:
        return False
    given = value or next(left, "")
    return all(_CXX.fullmatch(one) is not None for one in given.split(","))


def _is_folder(argument: str, left: Iterator[str], scratch: str) -> bool:
    """A folder for headers that is a part of the system, of torch or of the toolkit."""
    if argument in _FOLDERS:
        return _is_outside(next(left, ""), scratch)
    if argument.startswith("-isystem"):
        return _is_outside(argument.removeprefix("-isystem"), scratch)
    return argument.startswith("-I") and _is_outside(argument.removeprefix("-I"), scratch)


def _is_outside(path: str, scratch: str) -> bool:
    """Where no candidate writes; an environment may lie in the folder for temporary files."""
    installed = f"{path}/".startswith((f"{sys.prefix}/", f"{sys.base_prefix}/"))
    inside = f"{path}/".startswith((f"{scratch}/", "/tmp/", "/dev/", "/proc/")) and not installed
    return path.startswith("/") and ".." not in path.split("/") and not inside
