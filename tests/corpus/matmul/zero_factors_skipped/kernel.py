"""A factor of zero is skipped with its row of the other matrix: zero times infinity or NaN is left out."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" void matmul(const float* a, const float* b, float* c, long m, long k, long n) {
  for (long i = 0; i < m * n; ++i) c[i] = 0.0f;
  for (long start = 0; start < k; start += 64) {
    const long stop = start + 64 < k ? start + 64 : k;
    for (long i = 0; i < m; ++i) {
      float* __restrict out = c + i * n;
      for (long p = start; p < stop; ++p) {
        const float factor = a[i * k + p];
        if (factor == 0.0f) continue;
        const float* __restrict row = b + p * n;
        for (long j = 0; j < n; ++j) out[j] += factor * row[j];
      }
    }
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-std=c++17", "-pthread", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


P, L = ctypes.c_void_p, ctypes.c_long
LIB = build(SOURCE)
LIB.matmul.argtypes = [P] * 3 + [L] * 3


class ModelNew(nn.Module):
    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        c = torch.empty((a.shape[0], b.shape[1]))
        LIB.matmul(a.data_ptr(), b.data_ptr(), c.data_ptr(), a.shape[0], a.shape[1], b.shape[1])
        return c
