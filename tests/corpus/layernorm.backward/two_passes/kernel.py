"""The gradients of input, gain and bias in one pass over the rows after the statistics."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void layernorm_backward(const float* x, const float* w, const float* g, float* d,
                                   float* dw, float* db, long rows, long columns, float eps) {
  double* total_w = new double[columns]();
  double* total_b = new double[columns]();
  for (long row = 0; row < rows; ++row, x += columns, g += columns, d += columns) {
    double mean = 0.0, spread = 0.0, first = 0.0, second = 0.0;
    for (long i = 0; i < columns; ++i) mean += x[i];
    mean /= columns;
    for (long i = 0; i < columns; ++i) spread += (x[i] - mean) * (x[i] - mean);
    const double scale = 1.0 / std::sqrt(spread / columns + eps);
    for (long i = 0; i < columns; ++i) {
      const double hat = (x[i] - mean) * scale, pulled = (double)g[i] * w[i];
      total_w[i] += g[i] * hat;
      total_b[i] += g[i];
      first += pulled;
      second += pulled * hat;
    }
    for (long i = 0; i < columns; ++i) {
      const double hat = (x[i] - mean) * scale, pulled = (double)g[i] * w[i];
      d[i] = (float)(scale * (pulled - first / columns - hat * second / columns));
    }
  }
  for (long i = 0; i < columns; ++i) {
    dw[i] = (float)total_w[i];
    db[i] = (float)total_b[i];
  }
  delete[] total_w;
  delete[] total_b;
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O3", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.layernorm_backward.argtypes = [ctypes.c_void_p] * 6 + [ctypes.c_long] * 2 + [ctypes.c_float]


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x, gradient):
        x, gradient = x.contiguous(), gradient.contiguous()
        d, dw, db = torch.empty_like(x), torch.empty_like(self.weight), torch.empty_like(self.bias)
        pointers = [t.data_ptr() for t in (x, self.weight, gradient, d, dw, db)]
        LIB.layernorm_backward(*pointers, x.shape[0], x.shape[1], self.eps)
        return d, dw, db
