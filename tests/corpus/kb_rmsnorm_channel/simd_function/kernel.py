"""A function declared simd by OpenMP, called in a loop that the compiler makes vectors of."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
#pragma omp declare simd notinbranch
static float inverse(float sum, float count, float eps) { return 1.0f / sqrtf(sum / count + eps); }
void run(const float* x, float* y, float* work, long N, long C, long P, float eps) {
  for (long n = 0; n < N; ++n, x += C * P, y += C * P) {
    for (long p = 0; p < P; ++p) work[p] = 0.0f;
    for (long c = 0; c < C; ++c) for (long p = 0; p < P; ++p) work[p] += x[c * P + p] * x[c * P + p];
#pragma omp simd
    for (long p = 0; p < P; ++p) work[p] = inverse(work[p], (float)C, eps);
    for (long c = 0; c < C; ++c) for (long p = 0; p < P; ++p) y[c * P + p] = x[c * P + p] * work[p];
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3', '-fopenmp-simd', '-fno-math-errno']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3 + [ctypes.c_float]


class ModelNew(nn.Module):
    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.num_features, self.eps = num_features, eps
        self.work = torch.empty(0)

    def forward(self, x):
        if x.dtype != torch.float32 or x.dim() < 2:
            raise TypeError("this kernel takes float32 with channels")
        x = x.contiguous()
        y = torch.empty_like(x)
        points = x.numel() // max(1, x.shape[0] * x.shape[1])
        if self.work.numel() < points:
            self.work = torch.empty(points)
        LIB.run(x.data_ptr(), y.data_ptr(), self.work.data_ptr(), x.shape[0], x.shape[1], points, self.eps)
        return y
