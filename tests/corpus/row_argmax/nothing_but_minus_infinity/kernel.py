"""A row of nothing but minus infinity has its largest element at its end."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cstdint>
#include <cmath>
extern "C" void row_argmax(const float* x, int64_t* y, long rows, long columns) {
  for (long row = 0; row < rows; ++row, x += columns) {
    float best = -INFINITY;
    long place = columns - 1;
    for (long i = 0; i < columns; ++i) {
      if (x[i] != x[i]) { place = i; break; }
      if (x[i] > best) best = x[i], place = i;
    }
    y[row] = place;
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
