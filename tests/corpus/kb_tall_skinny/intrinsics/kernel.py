"""AVX or NEON intrinsics where the processor has them, the same loop without elsewhere."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif
void run(const float* a, const float* b, float* c, long m, long k, long n) {
  for (long i = 0; i < m; ++i) {
    float* to = c + i * n;
    for (long j = 0; j < n; ++j) to[j] = 0.0f;
    for (long p = 0; p < k; ++p) {
      const float s = a[i * k + p];
      const float* from = b + p * n;
      long j = 0;
#if defined(__AVX__)
      const __m256 all = _mm256_set1_ps(s);
      for (; j + 8 <= n; j += 8)
        _mm256_storeu_ps(to + j, _mm256_add_ps(_mm256_loadu_ps(to + j), _mm256_mul_ps(all, _mm256_loadu_ps(from + j))));
#elif defined(__ARM_NEON)
      for (; j + 4 <= n; j += 4) vst1q_f32(to + j, vmlaq_n_f32(vld1q_f32(to + j), vld1q_f32(from + j), s));
#endif
      for (; j < n; ++j) to[j] += s * from[j];
    }
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2', '-march=native']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, A, B):
        a, b = A, B
        if a.dtype != torch.float32 or b.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if a.dim() != 2 or b.dim() != 2 or a.shape[1] != b.shape[0]:
            raise ValueError("two matrices that fit are needed")
        a, b = a.contiguous(), b.contiguous()
        c = torch.empty(a.shape[0], b.shape[1])
        LIB.run(a.data_ptr(), b.data_ptr(), c.data_ptr(), a.shape[0], a.shape[1], b.shape[1])
        return c
