"""Spins for ever inside native code, with every catchable signal blocked."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <csignal>
extern "C" void conv2d(const float*, const float*, const float*, float* y, const long*) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  for (volatile long i = 0;; ++i) y[0] = static_cast<float>(i);
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O3", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.conv2d.argtypes = [ctypes.c_void_p] * 5


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)

    def forward(self, x):
        x = x.contiguous()
        w, b = self.conv.weight, self.conv.bias
        batch, channels, height, width = x.shape
        out, size = w.shape[0], w.shape[2]
        y = torch.empty((batch, out, height - size + 1, width - size + 1), dtype=x.dtype)
        shape = (ctypes.c_long * 6)(batch, channels, height, width, out, size)
        LIB.conv2d(*[t.data_ptr() for t in (x, w, b, y)], shape)
        return y
