"""Two passes in float32 with fused multiply-adds, written out."""

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
    float lane[8] = {0}, mean = 0.0f, spread = 0.0f;
    for (long i = 0; i < columns; ++i) lane[i % 8] += x[i];
    for (float part : lane) mean += part;
    mean /= columns;
    for (float& part : lane) part = 0.0f;
    for (long i = 0; i < columns; ++i)
      lane[i % 8] = std::fma(x[i] - mean, x[i] - mean, lane[i % 8]);
    for (float part : lane) spread += part;
    const float scale = 1.0f / std::sqrt(spread / columns + eps);
    for (long i = 0; i < columns; ++i) y[i] = std::fma((x[i] - mean) * scale, w[i], b[i]);
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native"]
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path], check=True)
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
