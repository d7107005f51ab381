"""Powers of two from a table of 256 entries, made when the library is loaded, times a short polynomial."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
#include <cstdint>
#include <cstring>
static double table[256];
__attribute__((constructor)) static void fill() { for (int i = 0; i < 256; ++i) table[i] = std::exp2(i / 256.0); }
static inline float exponential(float x) {  // x <= 0 or NaN
  if (x != x) return x;
  if (x < -104.0f) return 0.0f;
  const double t = (double)x * (256.0 * 1.4426950408889634);
  const double whole = std::nearbyint(t);
  const double r = (t - whole) * (0.6931471805599453 / 256.0);
  const int64_t k = (int64_t)whole;
  const uint64_t bits = (uint64_t)((k >> 8) + 1023) << 52;
  double scale;
  std::memcpy(&scale, &bits, 8);
  return (float)(table[k & 255] * scale * (1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0)))));
}
extern "C" void run(const float* x, float* y, long rows, long n) {
  for (long r = 0; r < rows; ++r, x += n, y += n) {
    float top = n ? x[0] : 0.0f;
    double sum = 0;
    for (long i = 1; i < n; ++i) if (x[i] > top || x[i] != x[i]) top = x[i];
    for (long i = 0; i < n; ++i) sum += y[i] = exponential(x[i] - top);
    const float scale = (float)(1.0 / sum);
    for (long i = 0; i < n; ++i) y[i] *= scale;
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2']
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        columns = x.shape[-1]
        LIB.run(x.data_ptr(), y.data_ptr(), x.numel() // max(1, columns), columns)
        return y
