"""OpenMP over batch and rows at once, guided schedule, simd inner loop."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
void run(const float* A, const float* B, float* C, long batch, long m, long k, long n) {
#pragma omp parallel for collapse(2) schedule(guided)
  for (long s = 0; s < batch; ++s)
    for (long i = 0; i < m; ++i) {
      float* c = C + (s * m + i) * n;
      for (long j = 0; j < n; ++j) c[j] = 0.0f;
      for (long p = 0; p < k; ++p) {
        const float a = A[(s * m + i) * k + p];
        const float* b = B + (s * k + p) * n;
#pragma omp simd
        for (long j = 0; j < n; ++j) c[j] += a * b[j];
      }
    }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3', '-fopenmp']
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
