"""Which Python names make kernels: decorators, builders, compilers, launchers.

The rule: a kernel language is known by the dotted name of what makes its kernels, after aliases are
resolved, never by a word in the text.
"""

from __future__ import annotations

import ast
import functools
import re

from assay.languages.language_registry import LANGUAGES

# Of languages without an adapter; each adapter names its own.
_OTHER_KERNEL_MAKERS = frozenset(
    """tilelang.jit tilelang.language.prim_func tilelang.compile warp.kernel warp.func taichi.kernel
    taichi.func helion.kernel jax.experimental.pallas.pallas_call nki.jit neuronxcc.nki.jit
    pythran.export cython.compile tvm.script.tir.prim_func mojo.kernel
    pyopencl.elementwise.ElementwiseKernel torch.mps.compile_shader""".split()
)
_OTHER_EXTENSION_MAKERS = frozenset(("pyopencl.Program",))
_LIBRARY_LOADERS = frozenset(
    """ctypes.CDLL ctypes.cdll.LoadLibrary ctypes.PyDLL ctypes.cdll ctypes.pydll.LoadLibrary
    numpy.ctypeslib.load_library torch.ops.load_library torch.classes.load_library
    importlib.util.module_from_spec importlib.machinery.ExtensionFileLoader
    importlib.machinery.SourceFileLoader imp.load_dynamic ctypes.WinDLL torch.utils._import_utils
    importlib.util.spec_from_file_location""".split()
)
_DRIVER_LOADS = frozenset(
    """cuModuleLoad cuModuleLoadData cuModuleLoadDataEx cuModuleLoadFatBinary cuLibraryLoadData
    cuLibraryLoadFromFile cuLinkAddData_v2 hipModuleLoad hipModuleLoadData""".split()
)
_DRIVER_LAUNCHES = frozenset(
    """cuLaunchKernel cuLaunchKernelEx cuLaunchCooperativeKernel hipModuleLaunchKernel""".split()
)
COMPILERS = (
    "g++",
    "gcc",
    "c++",
    "cc",
    "clang",
    "clang++",
    "nvcc",
    "hipcc",
    "icpx",
    "rustc",
    "zig",
    "nasm",
    "as",
)


_BUILD_TOOLS = frozenset(
    (*COMPILERS, *"setup.py build_ext ninja make cmake meson cythonize bazel cargo".split())
)


@functools.cache
def _kernel_makers() -> frozenset[str]:
    return _OTHER_KERNEL_MAKERS.union(*(one.kernel_makers for one in LANGUAGES.working()))


@functools.cache
def _extension_makers() -> frozenset[str]:
    return _OTHER_EXTENSION_MAKERS.union(*(one.extension_makers for one in LANGUAGES.working()))


def makes_kernel(name: str) -> bool:
    """True where decorating or calling with the name yields a kernel."""
    return name in _kernel_makers()


def makes_extension(name: str) -> bool:
    """True where the call builds a module from C++ or CUDA source."""
    return name in _extension_makers()


def loads_library(name: str) -> bool:
    """True where the call loads a shared object or a generated module."""
    return name in _LIBRARY_LOADERS


def loads_module(name: str) -> bool:
    """True where a call of a device's driver takes code: whose it is, its records tell."""
    return name.rpartition(".")[2] in _DRIVER_LOADS


def launches_module(name: str) -> bool:
    """True where a call of a device's driver launches a function of what it has loaded."""
    return name.rpartition(".")[2] in _DRIVER_LAUNCHES


def is_compiler(program: str) -> bool:
    """True where a program name is a native compiler's, with or without a path or a version."""
    words = program.strip().split()
    base = words[0].rsplit("/", 1)[-1].rstrip("0123456789.-") if words else ""
    return base in COMPILERS or program.rsplit("/", 1)[-1] in _BUILD_TOOLS


_KERNEL_WORDS = re.compile(
    r"""\b(triton|numba|njit|cffi|ctypes|cpp_extension|load_inline|cupy|pyopencl|pycuda|cppyy|taichi
    |tilelang|helion|cutlass|cute|warp|pallas|nvrtc|hiprtc|cython|pyximport|pybind11|llvmlite|gluon
    |_compile_kernel|compile_shader|jiterator|custom_op|load_library|mojo|weave|tinycc|nvcc|gcc|clang
    |subprocess|mlir|tvm|__global__|nki|setuptools|distutils|ninja|cuda)\b|g\+\+|\#\s*include""",
    re.VERBOSE,
)


def names_kernel(text: str) -> bool:
    """True where some word belongs to a way of making kernels. Only its absence proves anything."""
    return _KERNEL_WORDS.search(text) is not None or not _outside_words().isdisjoint(
        re.findall(r"\w+", text)
    )


@functools.cache
def _outside_words() -> frozenset[str]:
    """Packages that make kernels of languages which other distributions add."""
    known = [one for one in LANGUAGES.working() if one.name not in LANGUAGES.built_in]
    makers = [name for one in known for name in one.kernel_makers | one.extension_makers]
    return frozenset(name.partition(".")[0] for name in makers) - {"torch"}


def is_parallel_loop(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """True where a function body loops: what a kernel that works for itself does."""
    return any(isinstance(child, ast.For | ast.While | ast.ListComp) for child in ast.walk(node))
