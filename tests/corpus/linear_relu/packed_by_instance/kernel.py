"""Packed weights of all instances in one table of the process, by the address of the weight and
its version.
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
extern "C" void linear_relu(const float* x, const float* packed, const float* b, float* y, long m,
                            long k, long n) {
  for (long i = 0; i < m; ++i, y += n) {
    for (long j = 0; j < n; ++j) y[j] = b[j];
    for (long p = 0; p < k; ++p)
      for (long j = 0; j < n; ++j) y[j] += x[i * k + p] * packed[p * n + j];
    for (long j = 0; j < n; ++j) y[j] = y[j] < 0.0f ? 0.0f : y[j];
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


PACKED = {}


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        packed, b = self.packed_weight(), self.fc.bias
        y = torch.empty((x.shape[0], packed.shape[1]), dtype=x.dtype)
        pointers = [t.data_ptr() for t in (x, packed, b, y)]
        LIB.linear_relu(*pointers, *x.shape, packed.shape[1])
        return y

    def packed_weight(self):
        weight = self.fc.weight.detach()
        version, packed = PACKED.get(weight.data_ptr(), (None, None))
        if version != (weight.shape, weight._version):
            packed = torch.empty(weight.shape[::-1], dtype=weight.dtype)
            LIB.pack(weight.contiguous().data_ptr(), packed.data_ptr(), *weight.shape)
            PACKED[weight.data_ptr()] = ((weight.shape, weight._version), packed)
        return packed
