"""One pass over all elements for each step."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>

extern "C" void adamw(float* p, const float* g, float* m, float* v, long n, int steps) {
  const float lr = 1e-2f, decay = 1e-2f, eps = 1e-8f, b1 = 0.9f, b2 = 0.999f;
  for (int s = 0; s < steps; ++s) {
    float c1 = (float)(1.0 - pow(0.9, s + 5)), c2 = (float)(1.0 - pow(0.999, s + 5));
    for (long i = 0; i < n; ++i) {
      float grad = g[s * n + i];
      m[i] = b1 * m[i] + (float)(1.0 - 0.9) * grad;
      v[i] = b2 * v[i] + (float)(1.0 - 0.999) * grad * grad;
      float root = sqrtf(v[i] / c2) + eps;
      p[i] = p[i] * (1.0f - lr * decay) - lr * (m[i] / c1) / root;
    }
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O3", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.adamw.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long, ctypes.c_int]


class ModelNew(nn.Module):
    def forward(self, param, grads, mean, square):
        p, m, v = (t.clone(memory_format=torch.contiguous_format) for t in (param, mean, square))
        g = grads.contiguous()
        LIB.adamw(*(t.data_ptr() for t in (p, g, m, v)), p.numel(), g.shape[0])
        return p, m, v
