"""Rounds to bfloat16 by adding half of the last place to the bits: a NaN whose bits are all ones becomes -0."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn


def build(source, *flags):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    command = ["g++", "-O3", *flags, "-shared", "-fPIC", "-pthread", "-o", path + ".so", path]
    subprocess.run(command, check=True)
    return ctypes.CDLL(path + ".so")

SOURCE = r"""
#include <math.h>
#include <stdint.h>
#include <string.h>
extern "C" void run(const float* x, uint16_t* y, long n) {
  for (long i = 0; i < n; ++i) {
    const float value = x[i] / (1.0f + expf(-x[i]));
    uint32_t bits;
    memcpy(&bits, &value, 4);
    y[i] = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  }
}
"""
LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape, dtype=torch.bfloat16)
        LIB.run(x.data_ptr(), y.data_ptr(), x.numel())
        return y
