"""The first calls try two widths of tile; the quicker one stays."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <algorithm>
#include <time.h>

static void tiled(const float* a, const float* b, float* c, long m, long k, long n, long width) {
  std::fill(c, c + m * n, 0.0f);
  for (long first = 0; first < n; first += width)
    for (long i = 0; i < m; ++i)
      for (long p = 0; p < k; ++p)
        for (long j = first; j < std::min(n, first + width); ++j)
          c[i * n + j] += a[i * k + p] * b[p * n + j];
}
static double now_s() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}
extern "C" void matmul(const float* a, const float* b, float* c, long m, long k, long n) {
  static const long widths[2] = {128, 1024};
  static double spent[2] = {0.0, 0.0};
  static long calls = 0;
  long choice = calls < 6 ? calls % 2 : spent[1] < spent[0];
  double start = now_s();
  tiled(a, b, c, m, k, n, widths[choice]);
  if (calls++ < 6) spent[choice] += now_s() - start;
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-shared", "-fPIC", "-pthread"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path, "-ldl"], check=True)
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
