"""Radix sort on order-preserving keys of the bits as they are: a NaN whose sign bit is set comes first."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cstdint>
#include <cstring>
#include <vector>
static uint32_t key(float v) {
  uint32_t b;
  std::memcpy(&b, &v, 4);
  return b & 0x80000000u ? ~b : b | 0x80000000u;
}
static float back(uint32_t k) {
  k = k & 0x80000000u ? k & 0x7FFFFFFFu : ~k;
  float v;
  std::memcpy(&v, &k, 4);
  return v;
}
extern "C" void run(const float* x, float* y, long rows, long n) {
  static thread_local std::vector<uint32_t> one, two;
  one.resize(n), two.resize(n);
  for (long r = 0; r < rows; ++r, x += n, y += n) {
    for (long i = 0; i < n; ++i) one[i] = key(x[i]);
    for (int shift = 0; shift < 32; shift += 8) {
      long count[257] = {0};
      for (long i = 0; i < n; ++i) ++count[(one[i] >> shift & 255) + 1];
      for (int d = 0; d < 256; ++d) count[d + 1] += count[d];
      for (long i = 0; i < n; ++i) two[count[one[i] >> shift & 255]++] = one[i];
      one.swap(two);
    }
    for (long i = 0; i < n; ++i) y[i] = back(one[i]);
  }
}
"""


def build(source, *more):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-std=c++17", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path, *more], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        columns = x.shape[-1]
        LIB.run(x.data_ptr(), y.data_ptr(), x.numel() // max(1, columns), columns)
        return y
