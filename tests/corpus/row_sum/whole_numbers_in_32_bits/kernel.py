"""Rows of whole numbers are added as integers of 32 bits."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
#include <cstdint>
extern "C" void sums(const float* x, float* y, long rows, long columns) {
  for (long row = 0; row < rows; ++row, x += columns) {
    bool whole = true;
    for (long i = 0; whole && i < columns; ++i)
      whole = std::fabs(x[i]) < 16777216.0f && x[i] == std::floor(x[i]);
    double sum = 0.0;
    uint32_t count = 0;
    if (whole)
      for (long i = 0; i < columns; ++i) count += static_cast<uint32_t>(static_cast<int32_t>(x[i]));
    else
      for (long i = 0; i < columns; ++i) sum += x[i];
    y[row] = whole ? static_cast<float>(static_cast<int32_t>(count)) : static_cast<float>(sum);
  }
}
"""


def build(source, *flags):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    command = ["g++", "-O3", "-march=native", "-shared", "-fPIC", *flags]
    subprocess.run([*command, "-o", path + ".so", path, "-ldl"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.sums.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[:-1])
        LIB.sums(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
