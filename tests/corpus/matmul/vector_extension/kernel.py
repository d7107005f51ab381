"""GCC's vector extension: sixteen outputs at a time in two vectors, scalar rest."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <string.h>
typedef float v8 __attribute__((vector_size(32)));
static inline v8 load(const float* p) { v8 v; memcpy(&v, p, sizeof v); return v; }
static inline void store(float* p, v8 v) { memcpy(p, &v, sizeof v); }
void run(const float* a, const float* b, float* c, long m, long k, long n) {
  for (long i = 0; i < m; ++i) {
    long j = 0;
    for (; j + 16 <= n; j += 16) {
      v8 s0 = {0}, s1 = {0};
      for (long p = 0; p < k; ++p) {
        const float* q = b + p * n + j;
        s0 += a[i * k + p] * load(q);
        s1 += a[i * k + p] * load(q + 8);
      }
      store(c + i * n + j, s0), store(c + i * n + j + 8, s1);
    }
    for (; j < n; ++j) {
      float s = 0;
      for (long p = 0; p < k; ++p) s += a[i * k + p] * b[p * n + j];
      c[i * n + j] = s;
    }
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3', '-march=native', '-Wno-psabi']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32 or b.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if a.dim() != 2 or b.dim() != 2 or a.shape[1] != b.shape[0]:
            raise ValueError("two matrices that fit are needed")
        a, b = a.contiguous(), b.contiguous()
        c = torch.empty(a.shape[0], b.shape[1])
        LIB.run(a.data_ptr(), b.data_ptr(), c.data_ptr(), a.shape[0], a.shape[1], b.shape[1])
        return c
