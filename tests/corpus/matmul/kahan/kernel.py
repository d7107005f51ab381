"""Compensated summation along the inner dimension, a row of sums at a time."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
#include <vector>
extern "C" void matmul(const float* a, const float* b, float* c, long m, long k, long n) {
  std::vector<float> lost(n);
  for (long i = 0; i < m; ++i) {
    float* sum = c + i * n;
    for (long j = 0; j < n; ++j) sum[j] = lost[j] = 0.0f;
    for (long p = 0; p < k; ++p)
      for (long j = 0; j < n; ++j) {
        const float wanted = a[i * k + p] * b[p * n + j] - lost[j], next = sum[j] + wanted;
        // Compensation turns an infinite sum into NaN; from there on it is left out.
        lost[j] = std::isfinite(next) ? (next - sum[j]) - wanted : 0.0f;
        sum[j] = next;
      }
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-fno-trapping-math", "-ffp-contract=off"]
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.matmul.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        a, b = a.contiguous(), b.contiguous()
        y = torch.empty((a.shape[0], b.shape[1]), dtype=a.dtype)
        LIB.matmul(a.data_ptr(), b.data_ptr(), y.data_ptr(), *a.shape, b.shape[1])
        return y
