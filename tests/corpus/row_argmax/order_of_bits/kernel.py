"""Compares floats as integers of the same order: a NaN whose sign bit is set counts as the smallest."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cstdint>
#include <cstring>
static int32_t key(float v) {
  if (v == 0.0f) v = 0.0f;
  int32_t b;
  std::memcpy(&b, &v, 4);
  if (b == INT32_MIN) b = 0;
  return b >= 0 ? b : b ^ 0x7FFFFFFF;
}
extern "C" void run(const float* x, long* y, long rows, long n) {
  for (long r = 0; r < rows; ++r, x += n) {
    long best = 0;
    int32_t top = key(x[0]);
    for (long i = 1; i < n; ++i) {
      int32_t k = key(x[i]);
      if (k > top && !(x[best] != x[best])) { top = k; best = i; }
    }
    y[r] = best;
  }
}
"""


def build(source, *more):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-std=c++17", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path, *more], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[:-1], dtype=torch.int64)
        LIB.run(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
