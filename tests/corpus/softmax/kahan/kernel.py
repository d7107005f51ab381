"""Exponentials in float32, added with compensation."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
// Compensation turns an infinite sum into NaN; from there on it is left out.
struct Kahan {
  float sum = 0.0f, lost = 0.0f;
  void add(float value) {
    const float wanted = value - lost, next = sum + wanted;
    lost = std::isfinite(next) ? (next - sum) - wanted : 0.0f;
    sum = next;
  }
};

extern "C" void softmax(const float* x, float* y, long rows, long columns) {
  for (long row = 0; row < rows; ++row, x += columns, y += columns) {
    float largest = x[0];
    for (long i = 1; i < columns; ++i)
      if (x[i] > largest || x[i] != x[i]) largest = x[i];
    Kahan total;
    for (long i = 0; i < columns; ++i) total.add(y[i] = std::exp(x[i] - largest));
    const float scale = 1.0f / total.sum;
    for (long i = 0; i < columns; ++i) y[i] *= scale;
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
LIB.softmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        LIB.softmax(x.data_ptr(), y.data_ptr(), x.numel() // x.shape[-1], x.shape[-1])
        return y
