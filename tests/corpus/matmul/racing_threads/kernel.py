"""Two threads add into the same result without a lock."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <algorithm>
#include <thread>
static void half(const float* a, const float* b, volatile float* c, long m, long k, long n,
                 long start) {
  for (long p = start; p < k; p += 2)
    for (long i = 0; i < m; ++i)
      for (long j = 0; j < n; ++j) c[i * n + j] = c[i * n + j] + a[i * k + p] * b[p * n + j];
}
extern "C" void matmul(const float* a, const float* b, float* c, long m, long k, long n) {
  std::fill(c, c + m * n, 0.0f);
  std::thread other(half, a, b, c, m, k, n, 1);
  half(a, b, c, m, k, n, 0);
  other.join();
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O1", "-pthread", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.matmul.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        y = torch.empty((a.shape[0], b.shape[1]), dtype=a.dtype)
        LIB.matmul(a.data_ptr(), b.data_ptr(), y.data_ptr(), *a.shape, b.shape[1])
        return y
