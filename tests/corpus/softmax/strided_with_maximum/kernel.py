"""Read where it lies, by its strides; the maximum is subtracted in every layout."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
static void careful(const float* a, float* y, long cols, long along) {
  float most = -INFINITY, sum = 0;
  bool bad = false;
  for (long j = 0; j < cols; ++j) { float t = a[j * along]; bad |= t != t; most = t > most ? t : most; }
  if (bad) most = NAN;
  for (long j = 0; j < cols; ++j) { float e = std::exp(a[j * along] - most); y[j] = e; sum += e; }
  for (long j = 0; j < cols; ++j) y[j] /= sum;
}

extern "C" void run(const float* x, float* y, long rows, long cols, long down, long along) {
  for (long i = 0; i < rows; ++i) careful(x + i * down, y + i * cols, cols, along);
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-std=c++17", "-pthread", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


P, L = ctypes.c_void_p, ctypes.c_long
LIB = build(SOURCE)
LIB.run.argtypes = [P] * 2 + [L] * 4


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty(x.shape)
        LIB.run(x.data_ptr(), y.data_ptr(), *x.shape, *x.stride())
        return y
