"""Function multi-versioning: the loader picks the clone for this processor; erff in the loop."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#if defined(__x86_64__)
#define VERSIONS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define VERSIONS
#endif

#include <cmath>
extern "C" VERSIONS void run(const float* x, float* y, long count) {
  for (long i = 0; i < count; ++i) y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3']
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 1


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        LIB.run(x.data_ptr(), y.data_ptr(), x.numel())
        return y
