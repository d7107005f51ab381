"""The inverse root from the bits of the number and three Newton steps, as old games did."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <stdint.h>
#include <string.h>
static double inverse_root(double v) {
  if (!(v > 1e-300 && v < 1e300)) return 1.0 / __builtin_sqrt(v);
  uint64_t bits;
  memcpy(&bits, &v, 8);
  bits = 0x5FE6EB50C7B537A9u - (bits >> 1);
  double r;
  memcpy(&r, &bits, 8);
  for (int i = 0; i < 4; ++i) r *= 1.5 - 0.5 * v * r * r;
  return r;
}
void run(const float* x, const float* w, float* y, long rows, long n, float eps) {
  for (long r = 0; r < rows; ++r, x += n, y += n) {
    float part[4] = {0};
    for (long i = 0; i < n; ++i) part[i & 3] += x[i] * x[i];
    const double sum = (double)part[0] + part[1] + part[2] + part[3];
    const float scale = (float)inverse_root(sum / n + eps);
    for (long i = 0; i < n; ++i) y[i] = x[i] * scale * w[i];
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2', '-fno-math-errno']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2 + [ctypes.c_float] * 1


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x):
        n = self.weight.numel()
        if x.dtype != torch.float32 or x.shape[-1] != n:
            raise TypeError("this kernel takes float32 rows as long as its gain")
        x = x.contiguous()
        y = torch.empty_like(x)
        LIB.run(x.data_ptr(), self.weight.data_ptr(), y.data_ptr(), x.numel() // max(1, n), n, self.eps)
        return y
