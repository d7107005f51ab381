"""OpenMP threads over elements, expf for each of them."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
void run(const float* g, const float* u, float* y, long count) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < count; ++i) y[i] = g[i] / (1.0f + expf(-g[i])) * u[i];
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2', '-fopenmp']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 1


class ModelNew(nn.Module):
    def forward(self, gate, up):
        if gate.dtype != torch.float32 or up.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if up.shape != gate.shape:
            raise ValueError("shapes differ")
        gate, up = gate.contiguous(), up.contiguous()
        y = torch.empty_like(gate)
        LIB.run(gate.data_ptr(), up.data_ptr(), y.data_ptr(), gate.numel())
        return y
