"""One pass keeps maximum and sum together; expf for every element, logf once a row."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
void run(const float* x, float* y, long rows, long n) {
  for (long r = 0; r < rows; ++r, x += n, y += n) {
    float top = -INFINITY, sum = 0.0f;
    for (long i = 0; i < n; ++i) {
      const float v = x[i];
      if (v > top || v != v) sum = sum * expf(top == -INFINITY ? 0.0f : top - v) + 1.0f, top = v;
      else sum += v == -INFINITY && top == -INFINITY ? 0.0f : expf(v - top);
    }
    const float rest = logf(sum);
    for (long i = 0; i < n; ++i) y[i] = x[i] - top - rest;
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def __init__(self, dim=1):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.movedim(self.dim, -1).contiguous()
        y = torch.empty_like(x)
        columns = x.shape[-1]
        LIB.run(x.data_ptr(), y.data_ptr(), x.numel() // max(1, columns), columns)
        return y.movedim(-1, self.dim)
