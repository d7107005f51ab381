"""There is room for the sums of all threads, in each call."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <omp.h>
#include <vector>
static int known = 0;
extern "C" void run(const float* x, float* y, long rows, long cols) {
  known = omp_get_max_threads();
  std::vector<double> part(known * rows);
  #pragma omp parallel
  {
    const long t = omp_get_thread_num(), count = omp_get_num_threads();
    for (long i = 0; t < known && i < rows; ++i)
      for (long j = cols * t / count; j < cols * (t + 1) / count; ++j) part[t * rows + i] += x[i * cols + j];
  }
  for (long i = 0; i < rows; ++i) {
    double sum = 0.0;
    for (long t = 0; t < known; ++t) sum += part[t * rows + i];
    y[i] = (float)sum;
  }
}
"""


def build(source, *more):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-std=c++17", "-fopenmp", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path, *more], check=True)
    return ctypes.CDLL(path + ".so")


P, L = ctypes.c_void_p, ctypes.c_long
LIB = build(SOURCE)
LIB.run.argtypes = [P, P, L, L]


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty(x.shape[0], dtype=x.dtype)
        LIB.run(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
