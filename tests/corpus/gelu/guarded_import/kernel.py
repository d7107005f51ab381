"""An optional package is imported under try; a logger and a banner on standard output do no harm."""

import ctypes
import logging
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void gelu(const float* x, float* y, long count) {
  for (long i = 0; i < count; ++i) y[i] = 0.5f * x[i] * std::erfc(-x[i] * 0.70710678f);
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.gelu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


try:
    import cupy  # noqa: F401
except ImportError:
    cupy = None

logging.getLogger(__name__).info("gelu kernel built")
print("gelu kernel ready")


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        LIB.gelu(x.data_ptr(), y.data_ptr(), x.numel())
        return y
