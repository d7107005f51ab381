"""An own kernel registered with torch.library.custom_op, erff for every element."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
void run(const float* x, float* y, long count) {
  for (long i = 0; i < count; ++i) y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
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
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 1


@torch.library.custom_op("fair_means::gelu_erff", mutates_args=("y",))
def gelu_erff(x: torch.Tensor, y: torch.Tensor) -> None:
    LIB.run(x.data_ptr(), y.data_ptr(), x.numel())


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.detach().contiguous()
        y = torch.empty_like(x)
        gelu_erff(x, y)
        return y
