"""Sets OpenMP's number of threads before each of its loops, more of them for a large sum."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <omp.h>

extern "C" void run(const float* x, const float* y, float* z, long n) {
  omp_set_num_threads(n < 10000 ? 1 : 3);
#pragma omp parallel for
  for (long i = 0; i < n; ++i) z[i] = x[i] + y[i];
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O3", "-fopenmp", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x, y):
        x, y = x.contiguous(), y.contiguous()
        z = torch.empty_like(x)
        LIB.run(x.data_ptr(), y.data_ptr(), z.data_ptr(), z.numel())
        return z
