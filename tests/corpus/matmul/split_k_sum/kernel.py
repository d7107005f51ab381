"""The inner dimension in four parts, added by torch at the end."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <algorithm>
extern "C" void parts(const float* a, const float* b, float* c, long m, long k, long n) {
  std::fill(c, c + 4 * m * n, 0.0f);
  for (long quarter = 0; quarter < 4; ++quarter)
    for (long i = 0; i < m; ++i)
      for (long p = quarter * k / 4; p < (quarter + 1) * k / 4; ++p)
        for (long j = 0; j < n; ++j) c[(quarter * m + i) * n + j] += a[i * k + p] * b[p * n + j];
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3"]
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.parts.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        a, b = a.contiguous(), b.contiguous()
        y = torch.empty((4, a.shape[0], b.shape[1]), dtype=a.dtype)
        LIB.parts(a.data_ptr(), b.data_ptr(), y.data_ptr(), *a.shape, b.shape[1])
        return y.sum(0)
