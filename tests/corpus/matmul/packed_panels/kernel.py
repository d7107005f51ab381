"""B is packed into panels in a scratch buffer on every call, then multiplied panel by panel."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <algorithm>
#include <vector>
extern "C" void matmul(const float* a, const float* b, float* c, long m, long k, long n) {
  constexpr long width = 32;
  std::vector<float> panel(k * width);
  for (long start = 0; start < n; start += width) {
    const long wide = std::min(width, n - start);
    std::fill(panel.begin(), panel.end(), 0.0f);
    for (long p = 0; p < k; ++p)
      std::copy_n(b + p * n + start, wide, panel.data() + p * width);
    for (long i = 0; i < m; ++i) {
      float sum[width] = {0};
      for (long p = 0; p < k; ++p)
        for (long j = 0; j < width; ++j) sum[j] += a[i * k + p] * panel[p * width + j];
      std::copy_n(sum, wide, c + i * n + start);
    }
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O3", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
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
