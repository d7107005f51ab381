"""Float32 operands, a float64 accumulator, one rounding at the end."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <vector>
extern "C" void matmul(const float* a, const float* b, float* c, long m, long k, long n) {
  std::vector<double> row(n);
  for (long i = 0; i < m; ++i) {
    row.assign(n, 0.0);
    for (long p = 0; p < k; ++p) {
      const double left = a[i * k + p];
      for (long j = 0; j < n; ++j) row[j] += left * b[p * n + j];
    }
    for (long j = 0; j < n; ++j) c[i * n + j] = static_cast<float>(row[j]);
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3"]
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path], check=True)
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
