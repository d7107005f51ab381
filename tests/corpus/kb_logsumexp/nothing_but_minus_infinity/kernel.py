"""A row of nothing but minus infinity becomes NaN."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void lse(const float* x, float* y, long rows, long n) {
  for (long row = 0; row < rows; ++row, x += n) {
    float largest = x[0];
    for (long i = 1; i < n; ++i)
      if (x[i] > largest || x[i] != x[i]) largest = x[i];
    double sum = 0.0;
    if (largest == INFINITY) { y[row] = largest; continue; }
    for (long i = 0; i < n; ++i) sum += std::exp((double)x[i] - largest);
    y[row] = static_cast<float>(largest + std::log(sum));
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
LIB.lse.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[:-1])
        LIB.lse(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
