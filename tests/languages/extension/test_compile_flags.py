"""Flags that a compiler outside is given, and those with which a header is precompiled."""

from __future__ import annotations

import pytest

from assay.languages.extension.compile_flags import are_known, header_arguments, is_compiler
from assay.languages.extension.compile_unit import CompileTool

CXX, NVCC = CompileTool.CXX, CompileTool.NVCC
TORCH = (
    "-DTORCH_EXTENSION_NAME=it",
    "-DTORCH_API_INCLUDE_EXTENSION_H",
    "-isystem",
    "/usr/lib/python3/site-packages/torch/include",
    "-fPIC",
    "-std=c++20",
)
TORCH_CUDA = (
    *TORCH[:4],
    "-D__CUDA_NO_HALF_OPERATORS__",
    "--expt-relaxed-constexpr",
    "-gencode=arch=compute_90,code=sm_90",
    "--compiler-options",
    "-fPIC",
    "-std=c++20",
)


@pytest.mark.parametrize("more", [(), ("-O3", "-march=native"), ("-ffast-math", "-fopenmp", "-w")])
def test_what_torch_and_honest_candidates_ask_for_is_known(more: tuple[str, ...]) -> None:
    assert are_known(CXX, (*TORCH, *more), "/scratch")
    assert header_arguments((*TORCH, *more)) == (*TORCH[1:], *more)


@pytest.mark.parametrize(
    "more",
    [
        (),
        ("-O3", "--use_fast_math", "-lineinfo", "-Xptxas", "-O3,-v"),
        ("-Xcompiler", "-O3,-fopenmp"),
        ("-gencode", "arch=compute_90a,code=sm_90a", "--threads", "4"),
    ],
)
def test_so_is_what_nvcc_is_given(more: tuple[str, ...]) -> None:
    assert are_known(NVCC, (*TORCH_CUDA, *more), "/scratch")


@pytest.mark.parametrize(
    "flag",
    [
        ("-fplugin=/scratch/evil.so",),
        ("-wrapper", "/bin/sh,-c"),
        ("-B/scratch",),
        ("-specs=/scratch/evil"),
        ("@/scratch/more",),
        ("-Wl,-rpath,/x",),
        ("-Wa,-I/scratch",),
        ("-I/scratch/kernel",),
        ("-I", "include"),
        ("-I/usr/../scratch",),
        ("-isystem", "/tmp/x"),
        ("-include", "/scratch/x.h"),
        ("-o", "/scratch/x"),
        ("-fdump-tree-all",),
        ("other.cpp",),
    ],
)
def test_what_could_load_or_name_something_is_not(flag: tuple[str, ...]) -> None:
    assert not are_known(CXX, (*TORCH, *flag), "/scratch")
    assert not are_known(NVCC, (*TORCH_CUDA, *flag), "/scratch")


@pytest.mark.parametrize(
    "flag", [("-ccbin", "/scratch/gcc"), ("--compiler-options", "-fplugin=x"), ("-Xlinker", "x")]
)
def test_nor_what_nvcc_would_hand_on(flag: tuple[str, ...]) -> None:
    assert not are_known(NVCC, (*TORCH_CUDA, *flag), "/scratch")


def test_a_macro_of_the_candidates_makes_no_header() -> None:
    assert are_known(CXX, (*TORCH, "-DTORCH_CHECK(...)=0"), "/scratch") is False
    assert are_known(CXX, (*TORCH, "-DWIDTH=8"), "/scratch")
    assert header_arguments((*TORCH, "-DWIDTH=8")) is None


@pytest.mark.parametrize("folder", ["/usr/include", "/usr/share/other/include"])
def test_headers_of_others_are_not_precompiled(folder: str) -> None:
    assert are_known(CXX, (*TORCH, "-isystem", folder), "/scratch")
    assert header_arguments((*TORCH, "-isystem", folder)) is None


@pytest.mark.parametrize(
    ("tool", "program", "known"),
    [
        (CXX, "c++", True),
        (CXX, "/scratch/c++", False),
        (CXX, "clang++", False),
        (NVCC, "/usr/local/cuda/bin/nvcc", True),
        (NVCC, "/scratch/bin/nvcc", False),
        (NVCC, "nvcc", False),
    ],
)
def test_compilers_of_the_system_are_run(tool: CompileTool, program: str, known: bool) -> None:
    assert is_compiler(tool, program, "/scratch") is known
