"""The library is compiled in the first call, not at import."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void swiglu(const float* gate, const float* up, float* y, long count) {
  for (long i = 0; i < count; ++i) y[i] = gate[i] * (1.0f / (1.0f + std::exp(-gate[i]))) * up[i];
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


class ModelNew(nn.Module):
    library = None

    @classmethod
    def kernel(cls):
        if cls.library is None:
            cls.library = build(SOURCE)
            cls.library.swiglu.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]
        return cls.library.swiglu

    def forward(self, gate, up):
        if gate.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        gate, up = gate.contiguous(), up.contiguous()
        y = torch.empty_like(gate)
        self.kernel()(gate.data_ptr(), up.data_ptr(), y.data_ptr(), y.numel())
        return y
