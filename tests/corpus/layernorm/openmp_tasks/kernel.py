"""OpenMP tasks, one for every sixteen rows, from one producer."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
static void rows_of(const float* x, const float* w, const float* b, float* y, long rows, long n, float eps) {
  for (long r = 0; r < rows; ++r, x += n, y += n) {
    double mean = 0, square = 0;
    for (long i = 0; i < n; ++i) mean += x[i];
    mean /= n;
    for (long i = 0; i < n; ++i) square += (x[i] - mean) * (x[i] - mean);
    const double scale = 1.0 / sqrt(square / n + eps);
    for (long i = 0; i < n; ++i) y[i] = (float)((x[i] - mean) * scale) * w[i] + b[i];
  }
}
void run(const float* x, const float* w, const float* b, float* y, long rows, long n, float eps) {
#pragma omp parallel
#pragma omp single
  for (long r = 0; r < rows; r += 16) {
#pragma omp task firstprivate(r)
    rows_of(x + r * n, w, b, y + r * n, rows - r < 16 ? rows - r : 16, n, eps);
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2', '-fopenmp']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 2 + [ctypes.c_float] * 1


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        n = self.weight.numel()
        if x.dtype != torch.float32 or x.shape[-1] != n:
            raise TypeError("this kernel takes float32 rows as long as its gain")
        x = x.contiguous()
        y = torch.empty_like(x)
        LIB.run(x.data_ptr(), self.weight.data_ptr(), self.bias.data_ptr(), y.data_ptr(), x.numel() // max(1, n), n, self.eps)
        return y
