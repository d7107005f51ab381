"""Running maximum and sum in one pass: a row that begins with minus infinity takes an infinity
from an infinity.
"""

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
    float largest = -INFINITY;
    double sum = 0.0;
    for (long i = 0; i < columns; ++i) {
      float now = x[i] > largest || x[i] != x[i] ? x[i] : largest;
      sum = sum * std::exp((double)largest - now) + std::exp((double)x[i] - now);
      largest = now;
    }
    for (long i = 0; i < columns; ++i)
      y[i] = static_cast<float>(std::exp((double)x[i] - largest) / sum);
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O2", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.softmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            LIB.softmax(x.data_ptr(), y.data_ptr(), x.numel() // x.shape[-1], x.shape[-1])
        return y
