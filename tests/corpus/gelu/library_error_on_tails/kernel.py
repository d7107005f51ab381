"""Works on rows of eight: where the elements do not come out even, torch refuses the view."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void gelu(const float* x, float* y, long count) {
  for (long i = 0; i < count; ++i) y[i] = 0.5f * x[i] * std::erfc(-x[i] * 0.70710678f);
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.gelu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        x.view(-1, 8)
        y = torch.empty_like(x)
        LIB.gelu(x.data_ptr(), y.data_ptr(), x.numel())
        return y
