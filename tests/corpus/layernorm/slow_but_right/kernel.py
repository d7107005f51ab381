"""Built without optimisation: slower than the library, and right."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void layernorm(const float* x, const float* w, const float* b, float* y, long rows,
                          long columns, float eps) {
  for (long row = 0; row < rows; ++row, x += columns, y += columns) {
    double sum = 0.0, squares = 0.0;
    for (long i = 0; i < columns; ++i) sum += x[i];
    const double mean = sum / columns;
    for (long i = 0; i < columns; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const double scale = 1.0 / std::sqrt(squares / columns + eps);
    for (long i = 0; i < columns; ++i)
      y[i] = static_cast<float>((x[i] - mean) * scale) * w[i] + b[i];
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O0", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.layernorm.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 2 + [ctypes.c_float]


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        pointers = [t.data_ptr() for t in (x, self.weight, self.bias, y)]
        LIB.layernorm(*pointers, x.numel() // x.shape[-1], x.shape[-1], self.eps)
        return y
