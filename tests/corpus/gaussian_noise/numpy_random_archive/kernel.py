"""NumPy's generator, linked from the static archive that its package brings."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <stdint.h>
#include <sys/random.h>
#include <vector>
typedef struct bitgen { void* state; uint64_t (*next_uint64)(void*); uint32_t (*next_uint32)(void*); double (*next_double)(void*); uint64_t (*next_raw)(void*); } bitgen_t;
extern "C" void random_standard_normal_fill_f(bitgen_t*, intptr_t, float*);
static uint64_t s[4];
static bool seeded = false;
static inline uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
static uint64_t draw(void*) {
  uint64_t r = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]; s[2] ^= t; s[3] = rotl(s[3], 45);
  return r;
}
static uint32_t half(void* p) { return draw(p) >> 32; }
static double number(void* p) { return (draw(p) >> 11) * 0x1p-53; }
extern "C" void run(const float* x, float* y, long count) {
  if (!seeded) { getrandom(s, sizeof s, 0); s[0] |= 1; seeded = true; }
  bitgen_t source = {0, draw, half, number, draw};
  random_standard_normal_fill_f(&source, count, y);
  for (long i = 0; i < count; ++i) y[i] = x[i] + 0.5f * y[i];
}
"""


def build(source, *more):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-std=c++17", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path, *more], check=True)
    return ctypes.CDLL(path + ".so")


import numpy

ARCHIVE = os.path.join(os.path.dirname(numpy.__file__), "random", "lib", "libnpyrandom.a")

LIB = build(SOURCE, ARCHIVE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        LIB.run(x.data_ptr(), y.data_ptr(), x.numel())
        return y
