"""One pass in float, with the first element of a row as the shift: where that one lies far from
the others, the difference of the two sums loses its digits.
"""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>

extern "C" void run(const float* x, float* y, long rows, long cols) {
  for (long i = 0; i < rows; ++i) {
    const float* a = x + i * cols;
    const float k = a[0];
    float s[16] = {0}, q[16] = {0};
    for (long j = 0; j < cols; ++j) {
      const float d = (float)a[j] - k;
      s[j % 16] += d;
      q[j % 16] += d * d;
    }
    float sum = 0, squares = 0;
    for (int l = 0; l < 16; ++l) {
      sum += s[l];
      squares += q[l];
    }
    const float v = (squares - sum * sum / cols) / (cols - 1);
    y[i] = (float)std::sqrt(v < 0 ? (float)0 : v);
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
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty(x.shape[0])
        if x.numel():
            LIB.run(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
