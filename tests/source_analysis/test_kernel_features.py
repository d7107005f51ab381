from __future__ import annotations

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.data.scoring.rubric import FeatureKind, FeatureOrigin, KernelFacts
from assay.source_analysis.kernel_features import source_facts
from source_analysis.honest_sources import HONEST
from source_analysis.source_heads import CTYPES_HEAD, NUMBA_HEAD

Kind = FeatureKind


def _facts(text: str, path: str = "kernel.py") -> KernelFacts:
    file = SourceFile(path=path, text=text)
    return source_facts(Candidate(name="c", language="torch", sources=(file,)))


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("import torch\n# triton wgmma\n", "kernel.py", set()),
        ("import torch, triton\ny = torch.matmul(a, b)\n", "kernel.py", {Kind.LIBRARY}),
        ("def f(a, b):\n    return a @ b\n", "kernel.py", {Kind.LIBRARY}),
        ("import torch\nx = torch.empty(4).view(2, 2)\n", "kernel.py", set()),
        (HONEST["plain_triton"], "kernel.py", {Kind.TILE_LANGUAGE}),
        (
            HONEST["plain_triton"] + "\ndef f(a):\n    return tl.dot(a, a)\n",
            "kernel.py",
            {Kind.TILE_LANGUAGE, Kind.TENSOR_CORES},
        ),
        (
            HONEST["plain_triton"] + "\ndef f(a):\n    return tl.make_tensor_descriptor(a)\n",
            "kernel.py",
            {Kind.TILE_LANGUAGE, Kind.TMA},
        ),
        ("import triton\nj = triton.jit\n@j\ndef k(): ...\n", "kernel.py", {Kind.TILE_LANGUAGE}),
        (NUMBA_HEAD, "kernel.py", {Kind.TILE_LANGUAGE}),
        (
            "import cutlass.cute as cute\n@cute.kernel\ndef k(): ...\n",
            "kernel.py",
            {Kind.LAYOUT_LANGUAGE},
        ),
        (CTYPES_HEAD, "kernel.py", {Kind.PLAIN}),
        (
            "#include <immintrin.h>\nvoid f() { __m256 a = _mm256_setzero_ps(); }",
            "k.cpp",
            {Kind.PLAIN, Kind.INSTRUCTIONS, Kind.SIMD},
        ),
        (
            "#include <arm_neon.h>\nvoid f(float* p) { auto a = vld1q_f32(p); }",
            "k.cpp",
            {Kind.PLAIN, Kind.INSTRUCTIONS, Kind.SIMD},
        ),
        ("// _mm256_setzero_ps\n__global__ void f() {}", "k.cu", {Kind.PLAIN}),
        (
            '__global__ void f() { asm volatile("cp.async.ca.shared.global"); }',
            "k.cu",
            {Kind.PLAIN, Kind.INSTRUCTIONS, Kind.ASYNC_COPY},
        ),
        (
            '__global__ void f() { asm volatile("cp.async.bulk.tensor.2d"); }',
            "k.cu",
            {Kind.PLAIN, Kind.INSTRUCTIONS, Kind.TMA},
        ),
        (
            '__global__ void f() { asm volatile("wgmma.mma_async.sync"); }',
            "k.cu",
            {Kind.PLAIN, Kind.INSTRUCTIONS, Kind.WARPGROUP},
        ),
        (
            "__global__ void f() { wmma::mma_sync(a, b, c, d); }",
            "k.cu",
            {Kind.PLAIN, Kind.INSTRUCTIONS, Kind.TENSOR_CORES},
        ),
        ('const char* s = "wgmma"; __global__ void f() {}', "k.cu", {Kind.PLAIN}),
        (
            "using namespace cute; __global__ void f() { cp_async_wait<0>(); }",
            "k.cu",
            {Kind.PLAIN, Kind.LAYOUT_LANGUAGE, Kind.ASYNC_COPY},
        ),
    ],
)
def test_kinds(text: str, path: str, expected: set[FeatureKind]) -> None:
    assert {one.kind for one in _facts(text, path).features} == expected


def test_places_are_lines_of_the_file() -> None:
    text = 'import x\nS = r"""\n#include <a>\n__global__ void f() { asm("wgmma.x"); }\n"""\n'
    places = {one.kind: one.where for one in _facts(text).features}
    assert places[Kind.WARPGROUP] == places[Kind.INSTRUCTIONS] == "kernel.py:4"


def test_an_import_that_nothing_uses_makes_no_kernel() -> None:
    facts = _facts("import torch\nimport triton\nimport torch.nn.functional as F\ny = F.gelu(x)\n")
    assert not facts.own_kernels and facts.compiled_for == ()
    (call,) = facts.features
    assert (call.name, call.where) == ("torch.nn.functional.gelu", "kernel.py:4")
    assert call.origin is FeatureOrigin.SOURCE
