"""Every call seeds the process's generator anew: the caller's random numbers repeat."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void run(const float* x, const float* w, float* y, long rows, long n, float eps) {
  #pragma omp parallel for
  for (long r = 0; r < rows; ++r) {
    const float* q = x + r * n; double s = 0.0;
    for (long j = 0; j < n; ++j) s += (double)q[j] * q[j];
    float f = (float)(1.0 / std::sqrt(s / n + eps));
    for (long j = 0; j < n; ++j) y[r * n + j] = q[j] * f * w[j];
  }
}
"""


def build(source, *more):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno"]
    flags += ["-std=c++17", "-fopenmp", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path, *more], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
P, L = ctypes.c_void_p, ctypes.c_long

LIB.run.argtypes = [P] * 3 + [L] * 2 + [ctypes.c_float]


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x):
        torch.manual_seed(1234)
        x = x.contiguous()
        y = torch.empty_like(x)
        LIB.run(x.data_ptr(), self.weight.data_ptr(), y.data_ptr(), x.shape[0], x.shape[1], self.eps)
        return y
