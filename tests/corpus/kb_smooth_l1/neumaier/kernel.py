"""Neumaier's compensated summation in float32."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
void run(const float* a, const float* b, float* y, long count) {
  volatile float sum = 0.0f, lost = 0.0f;
  for (long i = 0; i < count; ++i) {
    const float d = fabsf(a[i] - b[i]), term = d < 1.0f ? 0.5f * d * d : d - 0.5f;
    const float next = sum + term;
    if (isfinite(next)) lost += fabsf(sum) >= fabsf(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  *y = (sum + lost) / count;
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
    def forward(self, predictions, targets):
        if predictions.dtype != torch.float32 or targets.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if targets.shape != predictions.shape:
            raise ValueError("shapes differ")
        predictions, targets = predictions.contiguous(), targets.contiguous()
        y = torch.empty(())
        LIB.run(predictions.data_ptr(), targets.data_ptr(), y.data_ptr(), predictions.numel())
        return y
