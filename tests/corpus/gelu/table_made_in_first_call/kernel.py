"""A table of coefficients is made when the first call comes, and read ever after."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
#include <cstring>
#include <vector>
static void own(const float* x, float* y, long n) {
  for (long i = 0; i < n; ++i)
    y[i] = static_cast<float>(0.5 * x[i] * std::erfc(-0.70710678118654752 * x[i]));
}

static std::vector<double> table;
extern "C" void gelu(const float* x, float* y, long n) {
  if (table.empty())
    for (long i = 0; i <= 4096; ++i) table.push_back(0.5 * std::erfc(-(i - 2048) / 256.0 * 0.70710678118654752));
  for (long i = 0; i < n; ++i) {
    double v = x[i], place = v * 256.0 + 2048.0;
    if (!(place > 1.0 && place < 4095.0)) {
      own(x + i, y + i, 1);
      continue;
    }
    long at = static_cast<long>(place + 0.5);
    double z = (at - 2048) / 256.0, d = v - z, pdf = 0.3989422804014327 * std::exp(-0.5 * z * z);
    double cdf = table[at] + d * pdf * (1.0 - d * z / 2.0 + d * d * (z * z - 1.0) / 6.0);
    if (v < -3.0) {
      own(x + i, y + i, 1);
      continue;
    }
    y[i] = static_cast<float>(v * cdf);
  }
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
LIB.gelu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        LIB.gelu(x.data_ptr(), y.data_ptr(), x.numel())
        return y
