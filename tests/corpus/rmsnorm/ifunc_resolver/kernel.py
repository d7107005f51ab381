"""An indirect function: a resolver of its own picks the loop when the library is loaded."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
#define BODY                                                             \
  for (long r = 0; r < rows; ++r, x += n, y += n) {                      \
    float sum[8] = {0}, total = 0;                                       \
    long i = 0;                                                          \
    for (; i + 8 <= n; i += 8) for (int l = 0; l < 8; ++l) sum[l] += x[i + l] * x[i + l]; \
    for (; i < n; ++i) total += x[i] * x[i];                             \
    for (int l = 0; l < 8; ++l) total += sum[l];                         \
    const float scale = 1.0f / sqrtf(total / n + eps);                   \
    for (i = 0; i < n; ++i) y[i] = x[i] * scale * w[i];                  \
  }
typedef void Rows(const float*, const float*, float*, long, long, float);
static void plain(const float* x, const float* w, float* y, long rows, long n, float eps) { BODY }
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void wide(const float* x, const float* w, float* y, long rows, long n, float eps) { BODY }
static Rows* resolve(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? wide : plain;
}
#else
static Rows* resolve(void) { return plain; }
#endif
void run(const float*, const float*, float*, long, long, float) __attribute__((ifunc("resolve")));
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2 + [ctypes.c_float] * 1


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x):
        n = self.weight.numel()
        if x.dtype != torch.float32 or x.shape[-1] != n:
            raise TypeError("this kernel takes float32 rows as long as its gain")
        x = x.contiguous()
        y = torch.empty_like(x)
        LIB.run(x.data_ptr(), self.weight.data_ptr(), y.data_ptr(), x.numel() // max(1, n), n, self.eps)
        return y
