"""One pass with a running maximum: another order of rounding, equally exact."""

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
    double sum = 0.0;
    for (long i = 0; i < columns; ++i) {
      if (x[i] > largest || x[i] != x[i]) {
        sum = sum * std::exp(static_cast<double>(largest) - x[i]) + std::exp(x[i] - x[i]);
        largest = x[i];
      } else if (x[i] > -INFINITY) {
        sum += std::exp(static_cast<double>(x[i]) - largest);
      }
    }
    for (long i = 0; i < columns; ++i)
      y[i] = static_cast<float>(std::exp(static_cast<double>(x[i]) - largest) / sum);
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
