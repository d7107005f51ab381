"""Register-blocked product in C++ for this processor, with a packed panel of B."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn


def build(source, *flags):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    command = ["g++", "-O3", *flags, "-shared", "-fPIC", "-pthread", "-o", path + ".so", path, "-ldl"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(path + ".so")

SOURCE = r"""
#include <algorithm>
#include <vector>
constexpr long ROWS = 6, COLUMNS = 32;
static void tile(const float* a, const float* panel, float* c, long k, long lda, long ldc,
                 long rows, long columns) {
  float sum[ROWS][COLUMNS] = {};
  for (long p = 0; p < k; ++p)
    for (long i = 0; i < rows; ++i) {
      const float factor = a[i * lda + p];
      for (long j = 0; j < COLUMNS; ++j) sum[i][j] += factor * panel[p * COLUMNS + j];
    }
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < columns; ++j) c[i * ldc + j] = sum[i][j];
}
extern "C" void matmul(const float* a, const float* b, float* c, long m, long k, long n) {
  std::vector<float> panel(k * COLUMNS);
  for (long j = 0; j < n; j += COLUMNS) {
    const long columns = std::min(COLUMNS, n - j);
    for (long p = 0; p < k; ++p)
      for (long q = 0; q < COLUMNS; ++q)
        panel[p * COLUMNS + q] = q < columns ? b[p * n + j + q] : 0.0f;
    for (long i = 0; i < m; i += ROWS)
      tile(a + i * k, panel.data(), c + i * n + j, k, k, n, std::min(ROWS, m - i), columns);
  }
}
"""
LIB = build(SOURCE, "-march=native")
LIB.matmul.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32 or b.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        a, b = a.contiguous(), b.contiguous()
        m, k = a.shape
        n = b.shape[1]
        c = torch.zeros((m, n), dtype=a.dtype)
        if a.numel() and b.numel():
            LIB.matmul(a.data_ptr(), b.data_ptr(), c.data_ptr(), m, k, n)
        return c
