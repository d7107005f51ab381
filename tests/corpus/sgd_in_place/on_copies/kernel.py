"""The step is taken on copies, and the inputs stay as they were."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>

extern "C" float sgd(float* p, const float* g, float* v, long n) {
  double total = 0.0;
  for (long i = 0; i < n; ++i) {
    v[i] = 0.9f * v[i] + g[i] + 1e-3f * p[i];
    p[i] -= 0.05f * v[i];
    total += (double)v[i] * v[i];
  }
  return (float)(0.05 * sqrt(total));
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O3", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.sgd.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]
LIB.sgd.restype = ctypes.c_float


class ModelNew(nn.Module):
    def forward(self, param, grad, velocity):
        p, g, v = (t.clone(memory_format=torch.contiguous_format) for t in (param, grad, velocity))
        norm = LIB.sgd(p.data_ptr(), g.data_ptr(), v.data_ptr(), p.numel())
        return torch.tensor(norm)
