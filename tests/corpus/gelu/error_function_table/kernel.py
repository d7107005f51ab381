"""The normal distribution function from a table with Taylor terms, in float64; erfc in the far tail."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
static const int STEPS = 64;  // entries for each unit, from -6 to 6
static double value[12 * STEPS + 1], slope[12 * STEPS + 1];
__attribute__((constructor)) static void fill() {
  for (int i = 0; i <= 12 * STEPS; ++i) {
    const double x = -6.0 + (double)i / STEPS;
    value[i] = 0.5 * std::erfc(-x * 0.7071067811865476);
    slope[i] = 0.3989422804014327 * std::exp(-0.5 * x * x);
  }
}
extern "C" void run(const float* x, float* y, long count) {
  for (long i = 0; i < count; ++i) {
    const double v = x[i];
    if (!(v > -6.0 && v < 6.0)) {
      y[i] = (float)(v * 0.5 * std::erfc(-v * 0.7071067811865476));
      continue;
    }
    const int k = (int)std::lround((v + 6.0) * STEPS);
    const double a = -6.0 + (double)k / STEPS, d = v - a;
    // Derivatives of the density are it times Hermite polynomials.
    const double h2 = -a, h3 = a * a - 1.0, h4 = -a * (a * a - 3.0), h5 = (a * a - 6.0) * a * a + 3.0;
    const double series = d * (1.0 + d * (h2 / 2 + d * (h3 / 6 + d * (h4 / 24 + d * h5 / 120))));
    y[i] = (float)(v * (value[k] + slope[k] * series));
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
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 1


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        LIB.run(x.data_ptr(), y.data_ptr(), x.numel())
        return y
