"""The first largest element of each row; NaN counts as largest."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cstdint>
extern "C" void row_argmax(const float* x, int64_t* y, long rows, long columns) {
  for (long row = 0; row < rows; ++row, x += columns) {
    long best = 0;
    for (long i = 1; i < columns && x[best] == x[best]; ++i)
      if (x[i] > x[best] || x[i] != x[i]) best = i;
    y[row] = best;
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
LIB.row_argmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[:-1], dtype=torch.int64)
        LIB.row_argmax(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
