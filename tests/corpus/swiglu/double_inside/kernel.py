"""Computes in float64 and rounds once."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void swiglu(const float* gate, const float* up, float* y, long count) {
  for (long i = 0; i < count; ++i) {
    const double g = gate[i];
    y[i] = static_cast<float>(g / (1.0 + std::exp(-g)) * up[i]);
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O2"]
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.swiglu.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, gate, up):
        if gate.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        gate, up = gate.contiguous(), up.contiguous()
        y = torch.empty_like(gate)
        LIB.swiglu(gate.data_ptr(), up.data_ptr(), y.data_ptr(), y.numel())
        return y
