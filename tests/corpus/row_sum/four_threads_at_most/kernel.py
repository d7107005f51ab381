"""No more than four threads, whatever the machine offers, and room for four partial sums."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <omp.h>
extern "C" void row_sum(const float* x, float* y, long rows, long columns) {
  for (long row = 0; row < rows; ++row, x += columns) {
    double partial[4] = {0};
#pragma omp parallel num_threads(4)
    {
      double sum = 0.0;
#pragma omp for
      for (long i = 0; i < columns; ++i) sum += x[i];
      partial[omp_get_thread_num()] = sum;
    }
    y[row] = static_cast<float>(partial[0] + partial[1] + partial[2] + partial[3]);
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O2", "-fopenmp", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.row_sum.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[0])
        LIB.row_sum(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
