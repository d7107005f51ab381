"""Floats as integers of the same order; the first NaN is the largest of all."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <stdint.h>
#include <string.h>
static inline int64_t key(float v) {
  int32_t bits;
  if (v != v) return INT64_MAX;
  v += 0.0f;  // -0 and 0 are equal
  memcpy(&bits, &v, 4);
  return bits < 0 ? (int64_t)INT32_MIN - bits : bits;
}
void run(const float* x, int64_t* y, long rows, long n) {
  for (long r = 0; r < rows; ++r, x += n) {
    int64_t best = INT64_MIN;
    long at = 0;
    for (long i = 0; i < n; ++i) {
      const int64_t k = key(x[i]);
      if (k > best) best = k, at = i;
    }
    y[r] = at;
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[:-1], dtype=torch.int64)
        LIB.run(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
