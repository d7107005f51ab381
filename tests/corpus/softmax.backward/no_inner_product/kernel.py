"""The diagonal of the Jacobian alone: p (1 - p) g, as if the outputs did not share their sum."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void softmax_backward(const float* x, const float* g, float* d, long rows,
                                 long columns) {
  for (long row = 0; row < rows; ++row, x += columns, g += columns, d += columns) {
    float largest = x[0];
    for (long i = 1; i < columns; ++i)
      if (x[i] > largest || x[i] != x[i]) largest = x[i];
    double sum = 0.0, inner = 0.0;
    for (long i = 0; i < columns; ++i) sum += d[i] = std::exp(x[i] - largest);
    for (long i = 0; i < columns; ++i) inner += (double)d[i] * g[i];
    const double mean = inner / sum;
    for (long i = 0; i < columns; ++i) d[i] = (float)(d[i] / sum * (g[i] * (1.0 - d[i] / sum)));
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
LIB.softmax_backward.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x, gradient):
        x, gradient = x.contiguous(), gradient.contiguous()
        d = torch.empty_like(x)
        if x.numel():
            pointers = [t.data_ptr() for t in (x, gradient, d)]
            LIB.softmax_backward(*pointers, x.numel() // x.shape[-1], x.shape[-1])
        return d
