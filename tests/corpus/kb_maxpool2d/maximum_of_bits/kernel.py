"""The maximum of floats taken on integers of the same order: a NaN whose sign bit is set never wins."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cstdint>
#include <cstring>
#include <cmath>
static int32_t key(float v) {
  int32_t b;
  std::memcpy(&b, &v, 4);
  return b >= 0 ? b : b ^ 0x7FFFFFFF;
}
extern "C" void run(const float* x, float* y, long planes, long h, long w, long k, long s, long p) {
  const long oh = (h + 2 * p - k) / s + 1, ow = (w + 2 * p - k) / s + 1;
  for (long c = 0; c < planes; ++c, x += h * w, y += oh * ow)
    for (long i = 0; i < oh; ++i)
      for (long j = 0; j < ow; ++j) {
        int32_t best = key(-INFINITY);
        for (long a = 0; a < k; ++a)
          for (long b = 0; b < k; ++b) {
            long r = i * s - p + a, q = j * s - p + b;
            if (r < 0 || r >= h || q < 0 || q >= w) continue;
            int32_t one = key(x[r * w + q]);
            if (one > best) best = one;
          }
        best = best >= 0 ? best : best ^ 0x7FFFFFFF;
        std::memcpy(&y[i * ow + j], &best, 4);
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
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 6


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.shape = kernel_size, stride, padding

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        k, s, p = self.shape
        h, w = x.shape[-2:]
        y = torch.empty(*x.shape[:-2], (h + 2 * p - k) // s + 1, (w + 2 * p - k) // s + 1)
        LIB.run(x.data_ptr(), y.data_ptr(), x.shape[0] * x.shape[1], h, w, k, s, p)
        return y
