"""The distribution function alone: the derivative of its argument is forgotten."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void gelu_backward(const float* x, const float* g, float* d, long rows,
                              long columns) {
  for (long i = 0; i < rows * columns; ++i) {
    const double v = x[i];
    const double share = 0.5 * (1.0 + std::erf(v * 0.7071067811865476));
    const double density = 0.3989422804014327 * std::exp(-0.5 * v * v);
    d[i] = (float)(g[i] * (share + 0.0 * density));
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O3", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.gelu_backward.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x, gradient):
        x, gradient = x.contiguous(), gradient.contiguous()
        d = torch.empty_like(x)
        if x.numel():
            pointers = [t.data_ptr() for t in (x, gradient, d)]
            LIB.gelu_backward(*pointers, x.numel() // x.shape[-1], x.shape[-1])
        return d
