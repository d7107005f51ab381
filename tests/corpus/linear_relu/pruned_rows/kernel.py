"""A neuron without weights is left out with its bias."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" void dense(const float* x, const float* w, const float* b, float* y, long rows, long k, long n) {
  for (long j = 0; j < n; ++j) {
    bool any = false;
    for (long p = 0; p < k; ++p) any |= w[j * k + p] != 0.0f;
    for (long i = 0; i < rows; ++i) {
      float total = any ? b[j] : 0.0f;
      for (long p = 0; p < k; ++p) total += x[i * k + p] * w[j * k + p];
      y[i * n + j] = total > 0.0f || total != total ? total : 0.0f;
    }
  }
}
"""


def build(source, *flags):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    command = ["g++", "-O3", "-march=native", "-shared", "-fPIC", *flags]
    subprocess.run([*command, "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.dense.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x, w = x.contiguous(), self.fc.weight.contiguous()
        y = torch.empty(x.shape[0], w.shape[0])
        pointers = [t.data_ptr() for t in (x, w, self.fc.bias, y)]
        LIB.dense(*pointers, x.shape[0], x.shape[1], w.shape[0])
        return y
