"""Sixteen partial sums in float32, from the last column to the first."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" void row_sum(const float* x, float* y, long rows, long columns) {
  for (long row = 0; row < rows; ++row, x += columns) {
    float lane[16] = {0};
    for (long i = columns - 1; i >= 0; --i) lane[i % 16] += x[i];
    for (int width = 8; width > 0; width /= 2)
      for (int t = 0; t < width; ++t) lane[t] += lane[t + width];
    y[row] = lane[0];
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3"]
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.row_sum.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[:-1], dtype=x.dtype)
        LIB.row_sum(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
