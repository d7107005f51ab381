"""Kahan's compensated summation in float32."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
struct Kahan {
  float sum = 0.0f, lost = 0.0f;
  void add(float value) {
    const float wanted = value - lost, next = sum + wanted;
    lost = (next - sum) - wanted;
    sum = next;
  }
};

extern "C" void row_sum(const float* x, float* y, long rows, long columns) {
  for (long row = 0; row < rows; ++row, x += columns) {
    Kahan total;
    for (long i = 0; i < columns; ++i) total.add(x[i]);
    y[row] = total.sum;
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O2"]
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.row_sum.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[:-1], dtype=x.dtype)
        LIB.row_sum(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
