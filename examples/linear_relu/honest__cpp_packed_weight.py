"""Linear and ReLU in one C++ pass over a transposed copy of the weight.

The copy is a cache of the weight, never of a result, and follows every change of it.
"""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" void pack(const float* w, float* packed, long n, long k) {
  for (long j = 0; j < n; ++j)
    for (long p = 0; p < k; ++p) packed[p * n + j] = w[j * k + p];
}

extern "C" void linear_relu(const float* x, const float* packed, const float* bias, float* y,
                            long m, long k, long n) {
  for (long i = 0; i < m; ++i) {
    float* __restrict out = y + i * n;
    for (long j = 0; j < n; ++j) out[j] = bias[j];
    for (long p = 0; p < k; ++p) {
      const float factor = x[i * k + p];
      const float* __restrict row = packed + p * n;
      for (long j = 0; j < n; ++j) out[j] += factor * row[j];
    }
    for (long j = 0; j < n; ++j) out[j] = out[j] < 0.0f ? 0.0f : out[j];
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
LIB.pack.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2
LIB.linear_relu.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)
        self.packed = None
        self.packed_from = None

    def packed_weight(self):
        weight = self.fc.weight.detach()
        origin = (weight.data_ptr(), weight._version)
        if origin != self.packed_from:
            n, k = weight.shape
            self.packed = torch.empty((k, n), dtype=weight.dtype)
            LIB.pack(weight.contiguous().data_ptr(), self.packed.data_ptr(), n, k)
            self.packed_from = origin
        return self.packed

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        packed = self.packed_weight()
        k, n = packed.shape
        rows = x.contiguous().view(-1, k)
        y = torch.empty((*x.shape[:-1], n), dtype=x.dtype)
        bias = self.fc.bias.detach()
        pointers = [t.data_ptr() for t in (rows, packed, bias, y)]
        LIB.linear_relu(*pointers, rows.shape[0], k, n)
        return y
