"""Three compiled versions are timed in turn over the first calls; each of those calls returns its own result."""

import ctypes
import os
import subprocess
import tempfile
import time

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
#define VERSION(name, lanes)                                                    \
  void name(const float* x, float* y, long rows, long n) {                      \
    for (long r = 0; r < rows; ++r, x += n, y += n) {                           \
      float top = n ? x[0] : 0.0f, part[lanes] = {0}, sum = 0.0f;               \
      for (long i = 1; i < n; ++i) if (x[i] > top || x[i] != x[i]) top = x[i];  \
      for (long i = 0; i < n; ++i) y[i] = expf(x[i] - top);                     \
      for (long i = 0; i < n; ++i) part[i % lanes] += y[i];                     \
      for (int l = 0; l < lanes; ++l) sum += part[l];                           \
      for (long i = 0; i < n; ++i) y[i] /= sum;                                 \
    }                                                                           \
  }
VERSION(one, 1)
VERSION(four, 4)
VERSION(sixteen, 16)
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
VERSIONS = [LIB.one, LIB.four, LIB.sixteen]
for version in VERSIONS:
    version.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.took = {}

    def forward(self, x):
        if x.dtype != torch.float32 or x.dim() != 2:
            raise TypeError("this kernel takes float32 matrices")
        x = x.contiguous()
        y = torch.empty_like(x)
        took = self.took.setdefault(tuple(x.shape), [])
        tried = len(took) < len(VERSIONS)
        number = len(took) if tried else took.index(min(took))
        start = time.perf_counter()
        VERSIONS[number](x.data_ptr(), y.data_ptr(), *x.shape)
        if tried:
            took.append(time.perf_counter() - start)
        return y
