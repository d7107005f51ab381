"""Block sizes of one kernel timed in the first call of a shape; the choice is kept, never a result."""

import ctypes
import os
import subprocess
import tempfile
import time

import torch
import torch.nn as nn

SOURCE = r"""
void run(const float* a, const float* b, float* c, long m, long k, long n, long block) {
  for (long i = 0; i < m * n; ++i) c[i] = 0.0f;
  for (long q = 0; q < k; q += block)
    for (long i = 0; i < m; ++i)
      for (long p = q; p < k && p < q + block; ++p)
        for (long j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3', '-march=native']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 4
BLOCKS = (16, 64, 256)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.best = {}

    def forward(self, a, b):
        if a.dtype != torch.float32 or b.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if a.dim() != 2 or b.dim() != 2 or a.shape[1] != b.shape[0]:
            raise ValueError("two matrices that fit are needed")
        a, b = a.contiguous(), b.contiguous()
        c = torch.empty(a.shape[0], b.shape[1])
        sizes = (*a.shape, b.shape[1])
        if sizes not in self.best:
            took = {}
            for block in BLOCKS:
                start = time.perf_counter()
                LIB.run(a.data_ptr(), b.data_ptr(), c.data_ptr(), *sizes, block)
                took[block] = time.perf_counter() - start
            self.best[sizes] = min(took, key=took.get)
        LIB.run(a.data_ptr(), b.data_ptr(), c.data_ptr(), *sizes, self.best[sizes])
        return c
