"""The same noise in every call."""

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

extern "C" void noise(const float* x, float* y, uint64_t seed, long count) {
  for (long at = 0; at < count; ++at) {
    float one = uniform(seed, 2 * at), two = uniform(seed, 2 * at + 1);
    y[at] = x[at] + 0.5f * (sqrtf(-2.0f * logf(one)) * cosf(6.2831853f * two));
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
LIB.noise.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_uint64, ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty(x.shape, dtype=x.dtype)
        LIB.noise(x.data_ptr(), y.data_ptr(), 1234567, x.numel())
        return y
