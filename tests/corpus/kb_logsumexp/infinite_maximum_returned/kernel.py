"""Where the maximum of a row is infinite it is the answer at once; fmax has dropped a NaN beside it."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void run(const float* x, float* y, long rows, long n) {
  for (long r = 0; r < rows; ++r, x += n) {
    float top = -INFINITY;
    for (long i = 0; i < n; ++i) top = std::fmax(top, x[i]);
    if (top == INFINITY) { y[r] = top; continue; }
    if (top == -INFINITY) { float s = 0; for (long i = 0; i < n; ++i) s += x[i]; y[r] = s; continue; }
    double sum = 0.0;
    for (long i = 0; i < n; ++i) sum += std::exp((double)x[i] - top);
    y[r] = top + (float)std::log(sum);
  }
}
"""


def build(source, *more):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-std=c++17", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path, *more], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[:-1], dtype=torch.float32)
        LIB.run(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
