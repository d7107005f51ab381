"""Sorts every row with the template of the standard library."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <algorithm>
#include <cstring>
static bool before(float a, float b) { return a < b || (b != b && a == a); }
extern "C" void rows(const float* x, float* y, long count, long columns) {
  std::memcpy(y, x, 4 * count * columns);
  for (long row = 0; row < count; ++row)
    std::sort(y + row * columns, y + (row + 1) * columns, before);
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
LIB.rows.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            LIB.rows(x.data_ptr(), y.data_ptr(), x.numel() // x.shape[-1], x.shape[-1])
        return y
