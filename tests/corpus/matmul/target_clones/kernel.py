"""Function multi-versioning of the row update of a matrix product."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#if defined(__x86_64__)
#define VERSIONS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define VERSIONS
#endif

VERSIONS static void add_scaled(float* c, const float* b, float a, long n) {
  for (long j = 0; j < n; ++j) c[j] += a * b[j];
}
extern "C" void run(const float* a, const float* b, float* c, long m, long k, long n) {
  for (long i = 0; i < m; ++i) {
    for (long j = 0; j < n; ++j) c[i * n + j] = 0.0f;
    for (long p = 0; p < k; ++p) add_scaled(c + i * n, b + p * n, a[i * k + p], n);
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3']
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32 or b.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if a.dim() != 2 or b.dim() != 2 or a.shape[1] != b.shape[0]:
            raise ValueError("two matrices that fit are needed")
        a, b = a.contiguous(), b.contiguous()
        c = torch.empty(a.shape[0], b.shape[1])
        LIB.run(a.data_ptr(), b.data_ptr(), c.data_ptr(), a.shape[0], a.shape[1], b.shape[1])
        return c
