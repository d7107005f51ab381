"""Bound with numpy.ctypeslib.ndpointer, which checks dtype and layout of what is handed over."""

import os
import subprocess
import tempfile

import ctypes
import numpy as np
import torch
import torch.nn as nn

SOURCE = r"""
void run(const float* x, const float* w, const float* b, float* y, long N, long C, long O, long P) {
  for (long n = 0; n < N; ++n) for (long o = 0; o < O; ++o) {
    float* to = y + (n * O + o) * P;
    for (long p = 0; p < P; ++p) to[p] = b ? b[o] : 0.0f;
    for (long c = 0; c < C; ++c) for (long p = 0; p < P; ++p) to[p] += w[o * C + c] * x[(n * C + c) * P + p];
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
ARRAY = np.ctypeslib.ndpointer(np.float32, flags="C_CONTIGUOUS")
LIB.run.argtypes = [ARRAY] * 4 + [ctypes.c_long] * 4


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, bias=True):
        super().__init__()
        self.conv1d = nn.Conv2d(in_channels, out_channels, kernel_size=1, bias=bias)

    def forward(self, x):
        w, b = self.conv1d.weight.detach(), self.conv1d.bias
        if x.dtype != torch.float32 or x.dim() != 4 or x.shape[1] != w.shape[1]:
            raise TypeError("this kernel takes float32 images with its channels")
        if b is None:
            raise TypeError("this kernel needs a bias")
        x = x.detach().contiguous()
        y = torch.empty(x.shape[0], w.shape[0], *x.shape[2:])
        sizes = (x.shape[0], w.shape[1], w.shape[0], x.shape[2] * x.shape[3])
        LIB.run(x.numpy(), w.contiguous().numpy(), b.detach().contiguous().numpy(), y.numpy(), *sizes)
        return y
