"""The C++ kernel walks the strides itself: no contiguous copy is ever made."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void gelu(const float* x, float* y, long rows, long columns, long down, long right) {
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < columns; ++j) {
      const float v = x[i * down + j * right];
      y[i * columns + j] = 0.5f * v * std::erfc(-v * 0.70710678f);
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
LIB.gelu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 4


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        y = torch.empty(x.shape, dtype=x.dtype)
        LIB.gelu(x.data_ptr(), y.data_ptr(), *x.shape, *x.stride())
        return y
