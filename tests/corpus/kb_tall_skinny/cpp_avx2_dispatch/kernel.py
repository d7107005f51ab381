"""Outer-product style kernel for (M x N) @ (N x M) with small N.

Two bodies: AVX2+FMA intrinsics compiled with a target attribute, and plain C++.  The choice is made by
CPUID at run time inside the library, so one binary serves every x86 machine; on another architecture
only the scalar body is compiled.
"""
import ctypes
import subprocess
import tempfile
from pathlib import Path

import torch
import torch.nn as nn

_CPP = r"""
#include <cstddef>
#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_X86 1
#endif

static void scalar_rows(const float* A, const float* B, float* C, long r0, long r1, long K, long N, long j0) {
  for (long i = r0; i < r1; ++i)
    for (long j = j0; j < N; ++j) {
      float s = 0.f;
      for (long k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
      C[i * N + j] = s;
    }
}

#ifdef HAVE_X86
__attribute__((target("avx2,fma")))
static void avx2_rows(const float* A, const float* B, float* C, long M, long K, long N) {
  const long NV = N / 8 * 8;
  long i = 0;
  for (; i + 4 <= M; i += 4) {
    for (long j = 0; j < NV; j += 8) {
      __m256 c0 = _mm256_setzero_ps(), c1 = c0, c2 = c0, c3 = c0;
      for (long k = 0; k < K; ++k) {
        const __m256 b = _mm256_loadu_ps(B + k * N + j);
        c0 = _mm256_fmadd_ps(_mm256_broadcast_ss(A + (i + 0) * K + k), b, c0);
        c1 = _mm256_fmadd_ps(_mm256_broadcast_ss(A + (i + 1) * K + k), b, c1);
        c2 = _mm256_fmadd_ps(_mm256_broadcast_ss(A + (i + 2) * K + k), b, c2);
        c3 = _mm256_fmadd_ps(_mm256_broadcast_ss(A + (i + 3) * K + k), b, c3);
      }
      _mm256_storeu_ps(C + (i + 0) * N + j, c0);
      _mm256_storeu_ps(C + (i + 1) * N + j, c1);
      _mm256_storeu_ps(C + (i + 2) * N + j, c2);
      _mm256_storeu_ps(C + (i + 3) * N + j, c3);
    }
  }
  if (NV < N) scalar_rows(A, B, C, 0, i, K, N, NV);
  scalar_rows(A, B, C, i, M, K, N, 0);
}
#endif

extern "C" int mm(const float* A, const float* B, float* C, long M, long K, long N) {
#ifdef HAVE_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) { avx2_rows(A, B, C, M, K, N); return 2; }
#endif
  scalar_rows(A, B, C, 0, M, K, N, 0);
  return 1;
}
"""

_box = tempfile.TemporaryDirectory(prefix="skinny")
_cpp = Path(_box.name, "mm.cpp")
_cpp.write_text(_CPP)
subprocess.run(["g++", "-O3", "-fPIC", "-shared", "-o", str(_cpp.with_suffix(".so")), str(_cpp)], check=True)
_mm = ctypes.CDLL(str(_cpp.with_suffix(".so"))).mm


def _ptr(t):
    # numpy only as a way to get at the address
    return t.detach().numpy().ctypes.data_as(ctypes.c_void_p)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        torch._assert(A.dtype == torch.float32 and B.dtype == torch.float32, "fp32 kernel")
        torch._assert(A.size(1) == B.size(0), "inner dimension")
        A = A if A.is_contiguous() else A.contiguous()
        B = B if B.is_contiguous() else B.contiguous()
        out = torch.empty(A.size(0), B.size(1))
        if out.numel() > 0:
            path = _mm(_ptr(A), _ptr(B), _ptr(out), ctypes.c_long(A.size(0)), ctypes.c_long(A.size(1)), ctypes.c_long(B.size(1)))
            assert path in (1, 2)
        return out
