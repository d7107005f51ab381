"""An operator defined by its schema with torch.library.Library and called through torch.ops."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
void run(const float* x, const float* w, float* y, long rows, long n, float eps) {
  for (long r = 0; r < rows; ++r, x += n, y += n) {
    double sum = 0;
    for (long i = 0; i < n; ++i) sum += (double)x[i] * x[i];
    const float scale = (float)(1.0 / sqrt(sum / n + eps));
    for (long i = 0; i < n; ++i) y[i] = x[i] * scale * w[i];
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2 + [ctypes.c_float] * 1

OWN = torch.library.Library("fair_norms", "DEF")
OWN.define("rms(Tensor x, Tensor w, Tensor(a!) y, float eps) -> ()")


def rms(x, w, y, eps):
    n = w.numel()
    LIB.run(x.data_ptr(), w.data_ptr(), y.data_ptr(), x.numel() // max(1, n), n, eps)


OWN.impl("rms", rms, "CPU")


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x):
        n = self.weight.numel()
        if x.dtype != torch.float32 or x.shape[-1] != n:
            raise TypeError("this kernel takes float32 rows as long as its gain")
        x = x.contiguous()
        y = torch.empty_like(x)
        torch.ops.fair_norms.rms(x, self.weight.detach(), y, self.eps)
        return y
