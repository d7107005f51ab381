"""Squares are added in blocks of 64 to a sum kept in bfloat16."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
static float brain(float v) {  // eight significant bits, as in bfloat16
  union { float f; unsigned u; } bits = {v};
  bits.u = (bits.u + 0x7fffu + ((bits.u >> 16) & 1u)) & 0xffff0000u;
  return bits.f;
}

extern "C" void rmsnorm(const float* x, const float* w, float* y, long rows, long columns,
                        float eps) {
  for (long row = 0; row < rows; ++row, x += columns, y += columns) {
    float sum = 0.0f;
    for (long i = 0; i < columns; ++i) {
      sum += x[i] * x[i];
      if (i % 64 == 63) sum = brain(sum);
    }
    const float scale = 1.0f / std::sqrt(sum / columns + eps);
    for (long i = 0; i < columns; ++i) y[i] = x[i] * scale * w[i];
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O2"]
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.rmsnorm.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2 + [ctypes.c_float]


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        pointers = [t.data_ptr() for t in (x, self.weight, y)]
        LIB.rmsnorm(*pointers, x.numel() // x.shape[-1], x.shape[-1], self.eps)
        return y
