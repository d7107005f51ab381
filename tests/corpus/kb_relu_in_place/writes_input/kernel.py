"""The input is overwritten as the reference overwrites it, and a copy is returned."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" void leaky(const float* x, float* y, long count) {
  for (long i = 0; i < count; ++i) y[i] = x[i] < 0.0f ? 0.1f * x[i] : x[i];
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O3", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.leaky.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x):
        given, x = x, x.contiguous()
        y = torch.empty(x.shape, dtype=x.dtype)
        LIB.leaky(x.data_ptr(), y.data_ptr(), x.numel())
        given.copy_(y)
        return y
