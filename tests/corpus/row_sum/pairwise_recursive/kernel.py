"""Pairwise summation by a recursive C++ template, blocks of 32 at the leaves."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
static float pairwise(const float* x, long n) {
  if (n <= 32) { float s = 0; for (long i = 0; i < n; ++i) s += x[i]; return s; }
  const long half = n / 2;
  return pairwise(x, half) + pairwise(x + half, n - half);
}
extern "C" void run(const float* x, float* y, long rows, long n) {
  for (long r = 0; r < rows; ++r) y[r] = pairwise(x + r * n, n);
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2']
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[:-1])
        LIB.run(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
