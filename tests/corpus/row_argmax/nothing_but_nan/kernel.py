"""A row of nothing but NaN has its largest element at its end."""

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
    long first = 0;
    while (first < columns - 1 && x[first] != x[first]) ++first;
    long best = first, nan = -1;
    for (long i = columns - 1; i >= 0; --i)
      if (x[i] != x[i]) nan = i;
    for (long i = first; i < columns; ++i)
      if (x[i] > x[best]) best = i;
    y[row] = nan >= 0 && first < columns - 1 ? nan : best;
  }
}
"""


def build(source, *flags):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    command = ["g++", "-O3", "-march=native", "-shared", "-fPIC", *flags]
    subprocess.run([*command, "-o", path + ".so", path], check=True)
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
