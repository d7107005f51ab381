"""Rows are shared out among the threads of the team, however many were asked for."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn


def build(source, *flags):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    command = ["g++", "-O3", *flags, "-shared", "-fPIC", "-pthread", "-o", path + ".so", path]
    subprocess.run(command, check=True)
    return ctypes.CDLL(path + ".so")

SOURCE = r"""
#include <omp.h>
extern "C" void run(const float* x, float* y, long rows, long n) {
  const int threads = omp_get_max_threads();
#pragma omp parallel num_threads(threads)
  {
    const long share = (rows + omp_get_num_threads() - 1) / omp_get_num_threads();
    const long first = omp_get_thread_num() * share;
    const long last = first + share < rows ? first + share : rows;
    for (long r = first; r < last; ++r) {
      double sum = 0.0;
      for (long i = 0; i < n; ++i) sum += x[r * n + i];
      y[r] = sum;
    }
  }
}
"""
LIB = build(SOURCE, "-fopenmp")
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[0], dtype=x.dtype)
        LIB.run(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
