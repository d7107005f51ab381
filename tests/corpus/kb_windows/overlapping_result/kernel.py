"""The windows of each row are overlapping views of one copy: no window is ever written, and writing one changes its neighbours."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" void copy(const float* x, float* y, long count) {
  for (long i = 0; i < count; ++i) y[i] = x[i];
}
extern "C" void turn(const float* x, float* y, long rows, long cols) {
  for (long j = 0; j < cols; ++j)
    for (long i = 0; i < rows; ++i) y[j * rows + i] = x[i * cols + j];
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-std=c++17", "-pthread", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


P, L = ctypes.c_void_p, ctypes.c_long
LIB = build(SOURCE)
LIB.copy.argtypes = [P] * 2 + [L]


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, cols = x.shape
        y = torch.empty_like(x)
        LIB.copy(x.data_ptr(), y.data_ptr(), x.numel())
        return y.as_strided((rows, cols - 15, 16), (cols, 1, 1))
