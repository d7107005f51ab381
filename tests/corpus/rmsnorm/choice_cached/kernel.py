"""Times two variants at the first call of a shape and remembers the choice, never a result."""

import ctypes
import os
import subprocess
import tempfile
import time

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void rmsnorm(const float* x, const float* w, float* y, long rows, long columns,
                        float eps) {
  for (long row = 0; row < rows; ++row, x += columns, y += columns) {
    double squares = 0.0;
    for (long i = 0; i < columns; ++i) squares += static_cast<double>(x[i]) * x[i];
    const float scale = static_cast<float>(1.0 / std::sqrt(squares / columns + eps));
    for (long i = 0; i < columns; ++i) y[i] = x[i] * scale * w[i];
  }
}

extern "C" void rmsnorm_unrolled(const float* x, const float* w, float* y, long rows, long columns,
                                 float eps) {
  for (long row = 0; row < rows; ++row, x += columns, y += columns) {
    double part[4] = {0};
    long i = 0;
    for (; i + 4 <= columns; i += 4)
      for (int t = 0; t < 4; ++t) part[t] += static_cast<double>(x[i + t]) * x[i + t];
    for (; i < columns; ++i) part[0] += static_cast<double>(x[i]) * x[i];
    const double squares = part[0] + part[1] + part[2] + part[3];
    const float scale = static_cast<float>(1.0 / std::sqrt(squares / columns + eps));
    for (i = 0; i < columns; ++i) y[i] = x[i] * scale * w[i];
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.rmsnorm.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2 + [ctypes.c_float]
LIB.rmsnorm_unrolled.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2 + [ctypes.c_float]


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps
        self.choices = {}

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        pointers = [t.data_ptr() for t in (x, self.weight, y)]
        work = (*pointers, x.numel() // x.shape[-1], x.shape[-1], self.eps)
        if x.shape not in self.choices:
            self.choices[x.shape] = min((LIB.rmsnorm, LIB.rmsnorm_unrolled), key=self.cost(work))
        self.choices[x.shape](*work)
        return y

    def cost(self, work):
        def seconds(kernel):
            start = time.perf_counter()
            kernel(*work)
            return time.perf_counter() - start

        return seconds
