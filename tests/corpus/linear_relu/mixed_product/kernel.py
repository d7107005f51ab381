"""The library's product with an own C++ epilogue: allowed on the mixed track, its share reported."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" void bias_relu(float* y, const float* b, long rows, long columns) {
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < columns; ++j) {
      float value = y[i * columns + j] + b[j];
      y[i * columns + j] = value < 0.0f ? 0.0f : value;
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
LIB.bias_relu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)

    def forward(self, x):
        y = x.contiguous() @ self.fc.weight.t()
        LIB.bias_relu(y.data_ptr(), self.fc.bias.data_ptr(), y.numel() // y.shape[-1], y.shape[-1])
        return y
