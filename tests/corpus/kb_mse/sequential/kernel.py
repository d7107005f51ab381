"""One running float32 sum over all elements, divided by their number."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
void run(const float* a, const float* b, float* y, long count) {
  float sum = 0.0f;
  for (long i = 0; i < count; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  *y = sum / count;
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
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 1


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32 or b.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if b.shape != a.shape:
            raise ValueError("shapes differ")
        a, b = a.contiguous(), b.contiguous()
        y = torch.empty(())
        LIB.run(a.data_ptr(), b.data_ptr(), y.data_ptr(), a.numel())
        return y
