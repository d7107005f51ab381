"""Its own exponential by a polynomial of magic constants, accurate to a rounding."""

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
static inline float own_exp(float v) {
  if (v != v) return v;
  if (v < -103.9720764f) return 0.0f;
  if (v > 88.72283905f) return INFINITY;
  const float k = std::nearbyint(v * 1.442695040888963f);
  double r = static_cast<double>(v) - k * 0.6931471805599453;
  double p = 1.0 + r * (1.0 + r * (0.5 + r * (0.16666666666666666 + r * (0.041666666666666664 +
             r * (0.008333333333333333 + r * (0.001388888888888889 + r * 0.0001984126984126984))))));
  return static_cast<float>(std::ldexp(p, static_cast<int>(k)));
}
extern "C" void softmax(const float* x, float* y, long rows, long columns) {
  for (long row = 0; row < rows; ++row, x += columns, y += columns) {
    float largest = x[0];
    for (long i = 1; i < columns; ++i)
      if (x[i] > largest || x[i] != x[i]) largest = x[i];
    double sum = 0.0;
    for (long i = 0; i < columns; ++i) sum += y[i] = own_exp(x[i] - largest);
    for (long i = 0; i < columns; ++i) y[i] = static_cast<float>(y[i] / sum);
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.softmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        rows, columns = x.numel() // max(1, x.shape[-1]), x.shape[-1]
        if x.numel():
            LIB.softmax(x.data_ptr(), y.data_ptr(), rows, columns)
        return y
