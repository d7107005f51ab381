"""Both outputs are views of one allocation, one behind the other."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" void running(const float* x, float* y, float* total, long rows, long columns) {
  for (long row = 0; row < rows; ++row, x += columns, y += columns) {
    double sum = 0.0;
    for (long i = 0; i < columns; ++i) y[i] = static_cast<float>(sum += x[i]);
    if (total) total[row] = static_cast<float>(sum);
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
LIB.running.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        rows, columns = x.shape
        whole = torch.empty(rows * columns + rows)
        y, total = whole[: rows * columns].view(rows, columns), whole[rows * columns :]
        LIB.running(x.data_ptr(), y.data_ptr(), total.data_ptr(), rows, columns)
        return y, total
