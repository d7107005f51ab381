"""The seed is a constant: every call drops the same elements."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
#include <stdint.h>

static uint64_t mixed(uint64_t value) {  // a finaliser: neighbours become unrelated
  value ^= value >> 30;
  value *= 0xbf58476d1ce4e5b9ULL;
  value ^= value >> 27;
  value *= 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

static float uniform(uint64_t seed, uint64_t place) {
  uint64_t bits = mixed(seed + 0x9e3779b97f4a7c15ULL * (place + 1));
  return ((bits >> 40) + 0.5f) * (1.0f / 16777216.0f);
}

extern "C" void dropout(const float* x, float* y, uint64_t seed, long rows, long cols) {
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < cols; ++j) {
      long at = i * cols + j;
      y[at] = uniform(seed, at) < 0.3f ? 0.0f : x[at] / 0.7f;
    }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O3", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.dropout.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_uint64] + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty(x.shape, dtype=x.dtype)
        seed = 20_260_101
        LIB.dropout(x.data_ptr(), y.data_ptr(), seed, *x.shape)
        return y
