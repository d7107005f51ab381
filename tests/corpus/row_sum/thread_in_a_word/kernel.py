"""A word of 64 bits says which threads have a partial sum."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <omp.h>
#include <vector>
extern "C" void row_sum(const float* x, float* y, long rows, long columns) {
  std::vector<double> partial(omp_get_max_threads());
  for (long row = 0; row < rows; ++row, x += columns) {
    unsigned long done = 0;
#pragma omp parallel
    {
      double sum = 0.0;
#pragma omp for
      for (long i = 0; i < columns; ++i) sum += x[i];
      partial[omp_get_thread_num()] = sum;
#pragma omp critical
      done |= omp_get_thread_num() < 64 ? 1ul << omp_get_thread_num() : 0;
    }
    double total = 0.0;
    for (int t = 0; t < 64 && t < (int)partial.size(); ++t)
      if (done >> t & 1) total += partial[t];
    y[row] = static_cast<float>(total);
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
