"""Softmax over the last dimension in C++: maximum, exponentials and their sum, scaling."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void softmax(const float* x, float* y, long rows, long columns) {
  for (long row = 0; row < rows; ++row, x += columns, y += columns) {
    float largest = x[0];
    for (long i = 1; i < columns; ++i)
      if (x[i] > largest || x[i] != x[i]) largest = x[i];
    double sum = 0.0;
    for (long i = 0; i < columns; ++i) sum += y[i] = std::exp(x[i] - largest);
    const float scale = static_cast<float>(1.0 / sum);
    for (long i = 0; i < columns; ++i) y[i] *= scale;
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
LIB.softmax.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            LIB.softmax(x.data_ptr(), y.data_ptr(), x.numel() // x.shape[-1], x.shape[-1])
        return y
