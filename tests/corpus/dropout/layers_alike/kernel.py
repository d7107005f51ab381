"""A counter of each instance: two layers of a model draw the same masks."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cstdint>
static uint64_t mixed(uint64_t v) { v ^= v >> 30; v *= 0xbf58476d1ce4e5b9ULL; v ^= v >> 27; v *= 0x94d049bb133111ebULL; return v ^ (v >> 31); }
extern "C" void run(const float* x, float* y, uint64_t seed, long n) {
  for (long i = 0; i < n; ++i) {
    uint64_t bits = mixed(seed + 0x9e3779b97f4a7c15ULL * (i + 1));
    y[i] = (bits >> 40) < 5033165 ? 0.0f : x[i] * (1.0f / 0.7f);
  }
}
"""


def build(source, *more):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno"]
    flags += ["-std=c++17", "-fopenmp", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path, *more], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
P, L = ctypes.c_void_p, ctypes.c_long

LIB.run.argtypes = [P] * 2 + [ctypes.c_uint64, L]
SEED = int.from_bytes(os.urandom(7), "little")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        self.calls += 1
        LIB.run(x.data_ptr(), y.data_ptr(), (SEED + self.calls * 0xD1342543DE82EF95) % (1 << 64), x.numel())
        return y
