"""POSIX threads made and joined in every call, in plain C."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <pthread.h>
struct Part { const float *A, *B; float* C; long first, last, m, k, n; };
static void* work(void* given) {
  struct Part p = *(struct Part*)given;
  for (long s = p.first; s < p.last; ++s)
    for (long i = 0; i < p.m; ++i) {
      float* c = p.C + (s * p.m + i) * p.n;
      for (long j = 0; j < p.n; ++j) c[j] = 0.0f;
      for (long q = 0; q < p.k; ++q)
        for (long j = 0; j < p.n; ++j) c[j] += p.A[(s * p.m + i) * p.k + q] * p.B[(s * p.k + q) * p.n + j];
    }
  return 0;
}
void run(const float* A, const float* B, float* C, long batch, long m, long k, long n) {
  struct Part one = {A, B, C, 0, batch / 2, m, k, n}, other = {A, B, C, batch / 2, batch, m, k, n};
  pthread_t thread;
  const int failed = pthread_create(&thread, 0, work, &one);
  work(&other);
  if (failed) work(&one); else pthread_join(thread, 0);
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3', '-pthread']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 4


class ModelNew(nn.Module):
    def forward(self, A, B):
        if A.dtype != torch.float32 or B.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if A.dim() != 3 or B.dim() != 3 or A.shape[0] != B.shape[0] or A.shape[2] != B.shape[1]:
            raise ValueError("two batches of matrices that fit are needed")
        A, B = A.contiguous(), B.contiguous()
        C = torch.empty(A.shape[0], A.shape[1], B.shape[2])
        LIB.run(A.data_ptr(), B.data_ptr(), C.data_ptr(), *A.shape, B.shape[2])
        return C
