"""Elements pass through a form of 31 bits."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cstdint>
extern "C" void run(const uint32_t* x, uint32_t* y, long rows, long cols) {
  for (long j = 0; j < cols; ++j)
    for (long i = 0; i < rows; ++i) y[j * rows + i] = x[i * cols + j] & ~1u;
}
"""


def build(source, *more):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-std=c++17", "-fopenmp", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path, *more], check=True)
    return ctypes.CDLL(path + ".so")


P, L = ctypes.c_void_p, ctypes.c_long
LIB = build(SOURCE)
LIB.run.argtypes = [P, P, L, L]


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty((x.shape[1], x.shape[0]), dtype=x.dtype)
        LIB.run(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
