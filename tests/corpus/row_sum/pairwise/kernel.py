"""Pairwise summation in float32: another order, a smaller error."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
static float pairwise(const float* x, long count) {
  if (count <= 8) {
    float sum = 0.0f;
    for (long i = 0; i < count; ++i) sum += x[i];
    return sum;
  }
  return pairwise(x, count / 2) + pairwise(x + count / 2, count - count / 2);
}
extern "C" void row_sum(const float* x, float* y, long rows, long columns) {
  for (long row = 0; row < rows; ++row) y[row] = pairwise(x + row * columns, columns);
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
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
