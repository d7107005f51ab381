"""A matrix times its own transpose is computed by half and mirrored."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
static void gemm(const float* a, const float* b, float* c, long m, long k, long n) {
  #pragma omp parallel for
  for (long i = 0; i < m; ++i) {
    float* __restrict out = c + i * n;
    for (long j = 0; j < n; ++j) out[j] = 0.0f;
    for (long p = 0; p < k; ++p) {
      const float factor = a[i * k + p];
      const float* __restrict row = b + p * n;
      for (long j = 0; j < n; ++j) out[j] += factor * row[j];
    }
  }
}
extern "C" void product(const float* a, const float* b, float* c, long m, long k, long n) { gemm(a, b, c, m, k, n); }
extern "C" void gram(const float* a, float* c, long m, long k) {
  #pragma omp parallel for
  for (long i = 0; i < m; ++i)
    for (long j = 0; j <= i; ++j) {
      float sum = 0.0f;
      for (long p = 0; p < k; ++p) sum += a[i * k + p] * a[j * k + p];
      c[i * m + j] = sum;
    }
  for (long i = 0; i < m; ++i)
    for (long j = i + 1; j < m; ++j) c[i * m + j] = c[j * m + i];
}
"""


def build(source, *more):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-std=c++17", "-fopenmp", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path, *more], check=True)
    return ctypes.CDLL(path + ".so")


P, L = ctypes.c_void_p, ctypes.c_long
LIB = build(SOURCE)
LIB.product.argtypes = [P] * 3 + [L] * 3
LIB.gram.argtypes = [P] * 2 + [L] * 2


class ModelNew(nn.Module):
    def forward(self, a, b):
        (m, k), n = a.shape, b.shape[1]
        c = torch.empty((m, n), dtype=a.dtype)
        if a.data_ptr() == b.data_ptr() and a.shape == b.t().shape and a.stride() == b.t().stride():
            a = a.contiguous()
            LIB.gram(a.data_ptr(), c.data_ptr(), m, k)
            return c
        a, b = a.contiguous(), b.contiguous()
        LIB.product(a.data_ptr(), b.data_ptr(), c.data_ptr(), m, k, n)
        return c
