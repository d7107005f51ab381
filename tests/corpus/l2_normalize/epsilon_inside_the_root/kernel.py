"""Divides by the root of the sum and the squared epsilon, where the task divides by the larger of
norm and epsilon: 30 % too small for a row of norm 1e-12.
"""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>

extern "C" void run(const float* x, float* y, long rows, long cols) {
  for (long i = 0; i < rows; ++i) {
    const float* a = x + i * cols;
    double s = 0;
    for (long j = 0; j < cols; ++j) s += (double)a[j] * a[j];
    const float r = (float)(1.0 / std::sqrt(s + 1e-24));
    for (long j = 0; j < cols; ++j) y[i * cols + j] = a[j] * r;
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O3", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            LIB.run(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
