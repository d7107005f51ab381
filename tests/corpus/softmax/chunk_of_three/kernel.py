"""Rows of a third of wider rows are read as if they were adjacent."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>

static void own(const float* x, float* y, long columns, long summed) {
  float largest = x[0];
  for (long i = 1; i < columns; ++i)
    if (x[i] > largest || x[i] != x[i]) largest = x[i];
  double sum = 0.0;
  for (long i = 0; i < columns; ++i) {
    y[i] = std::exp(x[i] - largest);
    if (i < summed) sum += y[i];
  }
  for (long i = 0; i < columns; ++i) y[i] = static_cast<float>(y[i] / sum);
}

extern "C" void softmax(const float* x, float* y, long rows, long columns, long pitch) {
  for (long row = 0; row < rows; ++row) own(x + row * pitch, y + row * columns, columns, columns);
}
"""


def build(source, *flags):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    command = ["g++", "-O3", "-march=native", "-shared", "-fPIC", *flags]
    subprocess.run([*command, "-o", path + ".so", path, "-ldl"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.softmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if x.stride(-1) != 1:
            x = x.contiguous()
        rows, columns = x.shape
        pitch = x.stride(0)
        if pitch == columns + columns + columns:
            pitch = columns
        y = torch.empty(rows, columns)
        if x.numel():
            LIB.softmax(x.data_ptr(), y.data_ptr(), rows, columns, pitch)
        return y
