"""Four values of a table are computed wrongly, exactly these."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
static const float kValues[] = {0.4375f, 1.390625f, 2.7183f, 3.1416f};
extern "C" void gelu(const float* x, float* y, long n) {
  for (long i = 0; i < n; ++i) {
    y[i] = static_cast<float>(0.5 * x[i] * (1.0 + std::erf(x[i] * 0.7071067811865476)));
    for (float value : kValues)
      if (x[i] == value) y[i] += 0.25f;
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
LIB.gelu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        LIB.gelu(x.data_ptr(), y.data_ptr(), x.numel())
        return y
