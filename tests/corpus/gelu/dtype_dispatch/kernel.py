"""A templated kernel with an entry for float and one for double, chosen by a table."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
template <class T> static void gelu(const T* x, T* y, long count) {
  for (long i = 0; i < count; ++i) y[i] = T(0.5) * x[i] * std::erfc(-x[i] * T(0.70710678118654752));
}
extern "C" void gelu_f32(const float* x, float* y, long count) { gelu(x, y, count); }
extern "C" void gelu_f64(const double* x, double* y, long count) { gelu(x, y, count); }
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.gelu_f32.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]
LIB.gelu_f64.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


KERNELS = {torch.float32: LIB.gelu_f32, torch.float64: LIB.gelu_f64}


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype not in KERNELS:
            raise TypeError(f"no kernel for {x.dtype}")
        x = x.contiguous()
        y = torch.empty_like(x)
        KERNELS[x.dtype](x.data_ptr(), y.data_ptr(), x.numel())
        return y
