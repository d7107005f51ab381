"""Normal noise in C++: Box-Muller on two uniform numbers for each place."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
#include <cstdint>

static uint64_t mixed(uint64_t value) {  // neighbouring values become unrelated
  value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdULL;
  value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return value ^ (value >> 33);
}

static double uniform(uint64_t seed, uint64_t place) {  // above 0, below 1
  return ((mixed(seed ^ mixed(place + 1)) >> 12) + 0.5) / 4503599627370496.0;
}

extern "C" void add_noise(const float* x, float* y, uint64_t seed, long count) {
  for (long i = 0; i < count; ++i) {
    const double radius = std::sqrt(-2.0 * std::log(uniform(seed, 2 * i)));
    const double angle = 6.283185307179586 * uniform(seed, 2 * i + 1);
    y[i] = static_cast<float>(x[i] + 0.5 * radius * std::cos(angle));
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.add_noise.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        seed = int(torch.randint(0, 1 << 62, ()))
        LIB.add_noise(x.data_ptr(), y.data_ptr(), seed, x.numel())
        return y
