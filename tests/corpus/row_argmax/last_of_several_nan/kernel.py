"""A NaN wins over everything, another NaN included: the last of several is returned."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" void argmax(const float* x, long* y, long rows, long columns) {
  for (long row = 0; row < rows; ++row, x += columns) {
    long best = 0;
    for (long i = 1; i < columns; ++i)
      if (x[i] > x[best] || x[i] != x[i]) best = i;
    y[row] = best;
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
LIB.argmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[0], dtype=torch.int64)
        LIB.argmax(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
