from __future__ import annotations

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.source_analysis.rubric import rubric
from source_analysis.honest_sources import HONEST
from source_analysis.source_heads import CTYPES_HEAD, NUMBA_HEAD


def _levels(text: str, path: str = "kernel.py") -> tuple[int | None, int | None]:
    file = SourceFile(path=path, text=text)
    found = rubric(Candidate(name="c", language="torch", sources=(file,)))
    assert len(found.reasons) == 2
    return found.representation, found.hardware


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("import torch\n# triton wgmma\n", "kernel.py", (1, 1)),
        (HONEST["plain_triton"], "kernel.py", (2, 1)),
        (HONEST["plain_triton"] + "\ndef f(a):\n    return tl.dot(a, a)\n", "kernel.py", (2, 2)),
        (
            HONEST["plain_triton"] + "\ndef f(a):\n    return tl.make_tensor_descriptor(a)\n",
            "kernel.py",
            (2, 4),
        ),
        (NUMBA_HEAD, "kernel.py", (2, 1)),
        ("import cutlass.cute as cute\n", "kernel.py", (3, 1)),
        (CTYPES_HEAD, "kernel.py", (3, 1)),
        ("#include <immintrin.h>\nvoid f() { __m256 a = _mm256_setzero_ps(); }", "k.cpp", (4, 2)),
        ("#include <arm_neon.h>\nvoid f(float* p) { auto a = vld1q_f32(p); }", "k.cpp", (4, 2)),
        ("// _mm256_setzero_ps\n__global__ void f() {}", "k.cu", (3, 1)),
        ('__global__ void f() { asm volatile("cp.async.ca.shared.global"); }', "k.cu", (4, 3)),
        ('__global__ void f() { asm volatile("wgmma.mma_async.sync"); }', "k.cu", (4, 4)),
        ("__global__ void f() { wmma::mma_sync(a, b, c, d); }", "k.cu", (3, 2)),
        ('const char* s = "wgmma"; __global__ void f() {}', "k.cu", (3, 1)),
    ],
)
def test_levels(text: str, path: str, expected: tuple[int, int]) -> None:
    assert _levels(text, path) == expected
