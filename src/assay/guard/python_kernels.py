"""Which Python names make kernels: decorators, builders, compilers, launchers.

The rule: a kernel language is known by the dotted name of what makes its kernels, after aliases are
resolved, never by a word in the text.
"""

from __future__ import annotations

import ast
import re

_KERNEL_DECORATORS = frozenset(
    """triton.jit triton.runtime.jit.jit triton.runtime.jit triton.autotune triton.heuristics
    numba.njit numba.jit numba.vectorize numba.guvectorize numba.stencil numba.cuda.jit numba.cfunc
    numba.core.decorators.njit numba.core.decorators.jit numba.cuda.reduce numba.cuda.vectorize
    cutlass.cute.kernel cutlass.cute.jit tilelang.jit tilelang.language.prim_func
    tilelang.compile warp.kernel warp.func taichi.kernel taichi.func helion.kernel
    cuda.tile.kernel cuda.tile.function jax.experimental.pallas.pallas_call
    triton.experimental.gluon.jit gluon.jit nki.jit neuronxcc.nki.jit pythran.export
    cupyx.jit.rawkernel cython.compile tvm.script.tir.prim_func mojo.kernel""".split()
)
_EXTENSION_BUILDERS = frozenset(
    """torch.utils.cpp_extension.load_inline torch.utils.cpp_extension.load
    torch.utils.cpp_extension.jit_load cffi.FFI pyopencl.Program cupy.RawModule
    cuda.core.Program cuda.core.experimental.Program pycuda.compiler.SourceModule cppyy.cppdef
    torch.utils._cpp_extension_versioner cppyy.gbl pybind11.setup_helpers.Pybind11Extension
    torch.utils.cpp_extension.CppExtension tinycc.compile hip.hiprtc weave.inline""".split()
)
_KERNEL_BUILDERS = frozenset(
    """torch.cuda._compile_kernel cupy.RawKernel cupy.ElementwiseKernel cupy.ReductionKernel
    cupyx.jit.rawkernel pyopencl.elementwise.ElementwiseKernel
    llvmlite.binding.create_mcjit_compiler
    pycuda.elementwise.ElementwiseKernel torch.cuda.jiterator._create_jit_fn
    torch.mps.compile_shader torch.cuda._compile_kernel""".split()
)
_LIBRARY_LOADERS = frozenset(
    """ctypes.CDLL ctypes.cdll.LoadLibrary ctypes.PyDLL ctypes.cdll ctypes.pydll.LoadLibrary
    numpy.ctypeslib.load_library torch.ops.load_library torch.classes.load_library
    importlib.util.module_from_spec importlib.machinery.ExtensionFileLoader
    importlib.machinery.SourceFileLoader imp.load_dynamic ctypes.WinDLL torch.utils._import_utils
    importlib.util.spec_from_file_location""".split()
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


def makes_kernel(name: str) -> bool:
    """True where decorating or calling with the name yields a kernel."""
    return name in _KERNEL_DECORATORS or name in _KERNEL_BUILDERS


def makes_extension(name: str) -> bool:
    """True where the call builds a module from C++ or CUDA source."""
    return name in _EXTENSION_BUILDERS


def loads_library(name: str) -> bool:
    """True where the call loads a shared object or a generated module."""
    return name in _LIBRARY_LOADERS


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
    return _KERNEL_WORDS.search(text) is not None


def is_parallel_loop(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """True where a function body loops: what a kernel that works for itself does."""
    return any(isinstance(child, ast.For | ast.While | ast.ListComp) for child in ast.walk(node))
