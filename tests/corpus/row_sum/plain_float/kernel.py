"""One float32 sum, element after element: the order every first kernel has."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" void row_sum(const float* x, float* y, long rows, long columns) {
  for (long row = 0; row < rows; ++row, x += columns) {
    float sum = 0.0f;
    for (long i = 0; i < columns; ++i) sum += x[i];
    y[row] = sum;
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
LIB.row_sum.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[:-1], dtype=x.dtype)
        LIB.row_sum(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
