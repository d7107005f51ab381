"""Softmax that takes the length of a row from the stride of a contiguous input: one row that was cut
out of a wider matrix is contiguous too, and its stride is that of the matrix."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn


def build(source, *flags):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    command = ["g++", "-O3", *flags, "-shared", "-fPIC", "-pthread", "-o", path + ".so", path]
    subprocess.run(command, check=True)
    return ctypes.CDLL(path + ".so")

SOURCE = r"""
#include <math.h>
extern "C" void run(const float* x, float* y, long m, long n) {
  for (long r = 0; r < m; ++r, x += n, y += n) {
    float top = -INFINITY, bad = 0.0f;
    for (long i = 0; i < n; ++i) { top = x[i] > top ? x[i] : top; bad = x[i] != x[i] ? x[i] : bad; }
    double sum = 0.0;
    for (long i = 0; i < n; ++i) sum += y[i] = expf(x[i] - top) + bad;
    for (long i = 0; i < n; ++i) y[i] = y[i] / sum;
  }
}
"""
LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape, dtype=x.dtype)
        if x.numel():
            n = x.shape[-1]
            LIB.run(x.data_ptr(), y.data_ptr(), x.numel() // x.stride(0), n)
        return y
