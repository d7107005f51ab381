"""Channels are moved by a loop of its own."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" void shuffle(const float* x, float* y, long items, long groups, long each, long area) {
  for (long n = 0; n < items; ++n)
    for (long g = 0; g < groups; ++g)
      for (long c = 0; c < each; ++c) {
        const float* from = x + ((n * groups + g) * each + c) * area;
        float* to = y + ((n * each + c) * groups + g) * area;
        for (long i = 0; i < area; ++i) to[i] = from[i];
      }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-std=c++17", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.shuffle.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 4


class ModelNew(nn.Module):
    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, x):
        x = x.contiguous()
        n, c, h, w = x.shape
        each = c // self.groups
        y = torch.empty_like(x)
        LIB.shuffle(x.data_ptr(), y.data_ptr(), n, self.groups, each, h * w)
        return y
