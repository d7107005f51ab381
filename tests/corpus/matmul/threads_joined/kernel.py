"""Two native threads share the rows and are joined before the call returns."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <algorithm>
#include <thread>
static void part(const float* a, const float* b, float* c, long from, long to, long k, long n) {
  for (long i = from; i < to; ++i) {
    std::fill(c + i * n, c + i * n + n, 0.0f);
    for (long p = 0; p < k; ++p)
      for (long j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}
extern "C" void matmul(const float* a, const float* b, float* c, long m, long k, long n) {
  std::thread other(part, a, b, c, 0, m / 2, k, n);
  part(a, b, c, m / 2, m, k, n);
  other.join();
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(
        ["g++", "-O3", "-pthread", "-shared", "-fPIC", "-o", path + ".so", path], check=True
    )
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.matmul.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        a, b = a.contiguous(), b.contiguous()
        y = torch.empty((a.shape[0], b.shape[1]), dtype=a.dtype)
        LIB.matmul(a.data_ptr(), b.data_ptr(), y.data_ptr(), *a.shape, b.shape[1])
        return y
