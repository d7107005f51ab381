"""Two versions of a loop, chosen by __builtin_cpu_supports in the first call; expf in the loop."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
typedef void (*Rows)(const float*, float*, long, long);
#define BODY                                                                  \
  for (long r = 0; r < rows; ++r, x += n, y += n) {                           \
    float top = n ? x[0] : 0.0f, sum = 0.0f;                                  \
    for (long i = 1; i < n; ++i) top = (x[i] > top || x[i] != x[i]) ? x[i] : top; \
    for (long i = 0; i < n; ++i) y[i] = expf(x[i] - top);                     \
    for (long i = 0; i < n; ++i) sum += y[i];                                 \
    for (long i = 0; i < n; ++i) y[i] = y[i] / sum;                           \
  }
static void plain(const float* x, float* y, long rows, long n) { BODY }
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void wide(const float* x, float* y, long rows, long n) { BODY }
#endif
static Rows chosen = 0;
void run(const float* x, float* y, long rows, long n) {
  if (!chosen) {
    chosen = plain;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) chosen = wide;
#endif
  }
  chosen(x, y, rows, n);
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        columns = x.shape[-1]
        LIB.run(x.data_ptr(), y.data_ptr(), x.numel() // max(1, columns), columns)
        return y
