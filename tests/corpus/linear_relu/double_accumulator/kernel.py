"""Products and bias are added in float64 and rounded once."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" void linear_relu(const float* x, const float* w, const float* b, float* y, long m,
                            long k, long n) {
  for (long i = 0; i < m; ++i)
    for (long j = 0; j < n; ++j) {
      double lane[8] = {0}, sum = b[j];
      long p = 0;
      for (; p + 8 <= k; p += 8)
        for (int t = 0; t < 8; ++t)
          lane[t] += static_cast<double>(x[i * k + p + t]) * w[j * k + p + t];
      for (; p < k; ++p) sum += static_cast<double>(x[i * k + p]) * w[j * k + p];
      for (double part : lane) sum += part;
      y[i * n + j] = sum < 0.0 ? 0.0f : static_cast<float>(sum);
    }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native"]
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.linear_relu.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        w, b = self.fc.weight, self.fc.bias
        y = torch.empty((x.shape[0], w.shape[0]), dtype=x.dtype)
        LIB.linear_relu(*[t.data_ptr() for t in (x, w, b, y)], *x.shape, w.shape[0])
        return y
