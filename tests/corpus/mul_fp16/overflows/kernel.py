"""The product in float, rounded to float16: infinite where it is too large."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>

extern "C" void run(const _Float16* x, const _Float16* y, _Float16* z, long n) {
  for (long i = 0; i < n; ++i) {
    z[i] = (_Float16)((float)x[i] * (float)y[i]);
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
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x, y):
        x, y = x.contiguous(), y.contiguous()
        z = torch.empty_like(x)
        LIB.run(x.data_ptr(), y.data_ptr(), z.data_ptr(), z.numel())
        return z
