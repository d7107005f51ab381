"""Buffers are taken again, but only those of which nobody holds a view any more."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void softmax(const float* x, float* y, long rows, long columns) {
  for (long row = 0; row < rows; ++row, x += columns, y += columns) {
    float largest = x[0];
    for (long i = 1; i < columns; ++i)
      if (x[i] > largest || x[i] != x[i]) largest = x[i];
    double sum = 0.0;
    for (long i = 0; i < columns; ++i) sum += y[i] = std::exp(x[i] - largest);
    for (long i = 0; i < columns; ++i) y[i] = static_cast<float>(y[i] / sum);
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O2", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.softmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


def holders(tensor):
    """How many tensors, views included, live in the memory of this one."""
    return torch._C._storage_Use_Count(tensor.untyped_storage()._cdata)


ALONE = holders(torch.empty(1))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.buffers = {}

    def forward(self, x):
        x = x.contiguous()
        y = self.result(x)
        if x.numel():
            LIB.softmax(x.data_ptr(), y.data_ptr(), x.numel() // x.shape[-1], x.shape[-1])
        return y

    def result(self, x):
        buffers = self.buffers.setdefault(x.shape, [])
        free = [buffer for buffer in buffers if holders(buffer) == ALONE]
        if not free:
            free.append(torch.empty_like(x))
            buffers.append(free[0])
        return free[0].view(x.shape)
