"""Softplus by log1p over a table of exponentials for the whole part and a series for the rest."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
static double whole[256];  // exp(-k)
static int filled;
static double exponential(double x) {  // exp(-x), x >= 0
  if (x > 200.0) return 0.0;
  const int k = (int)x;
  const double r = (x - k) / 16.0;
  double s = 1.0, t = 1.0;
  for (int i = 1; i < 9; ++i) s += t *= -r / i;
  s *= s, s *= s, s *= s, s *= s;
  return whole[k] * s;
}
void run(const float* x, float* y, long count) {
  if (!filled) { for (int k = 0; k < 256; ++k) whole[k] = exp(-(double)k); filled = 1; }
  for (long i = 0; i < count; ++i) {
    const double v = x[i];
    y[i] = v != v ? x[i] : v > 20.0 ? x[i] : v < -104.0 ? (float)exp(v) : (float)((v > 0 ? v : 0.0) + log1p(exponential(fabs(v))));
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
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
