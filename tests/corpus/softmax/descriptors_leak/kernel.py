"""Each second call leaves a descriptor open."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn


def build(source, *libraries):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    command = ["g++", "-O3", "-march=native", "-shared", "-fPIC", "-o", path + ".so", path, *libraries]
    subprocess.run(command, check=True)
    return ctypes.CDLL(path + ".so")


SOURCE = r"""
#include <math.h>
extern "C" void softmax(const float* x, float* y, long rows, long cols) {
  for (long r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float top = -INFINITY;
    double sum = 0.0;
    for (long i = 0; i < cols; ++i) top = (in[i] > top || in[i] != in[i]) ? in[i] : top;
    for (long i = 0; i < cols; ++i) sum += out[i] = expf(in[i] - top);
    for (long i = 0; i < cols; ++i) out[i] *= (float)(1.0 / sum);
  }
}
"""
LIB = build(SOURCE)
LIB.softmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


CALLS = [0]


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        cols = max(1, x.shape[-1])
        LIB.softmax(x.data_ptr(), y.data_ptr(), x.numel() // cols, cols)
        CALLS[0] += 1
        if CALLS[0] % 2:
            os.dup(1)
        return y
