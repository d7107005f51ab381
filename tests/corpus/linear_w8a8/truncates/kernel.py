"""Codes are cut off instead of rounded."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
#include <stdint.h>

extern "C" void linear(const float* x, const int8_t* w, const float* ws, float* y, int32_t* codes,
                       long m, long k, long n) {
  for (long i = 0; i < m; ++i) {
    float largest = 0.0f;
    for (long p = 0; p < k; ++p) largest = fmaxf(largest, fabsf(x[i * k + p]));
    float scale = largest > 0.0f ? largest / 127.0f : 1.0f;
    for (long p = 0; p < k; ++p) codes[p] = (int32_t)(x[i * k + p] / scale);
    for (long j = 0; j < n; ++j) {
      int32_t sum = 0;
      for (long p = 0; p < k; ++p) sum += (int32_t)(codes[p] * w[j * k + p]);
      y[i * n + j] = (float)sum * scale * ws[j];
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
LIB.linear.argtypes = [ctypes.c_void_p] * 5 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        codes = torch.zeros(out_features, in_features, dtype=torch.int8)
        self.register_buffer("weight_codes", codes)
        self.register_buffer("weight_scale", torch.ones(out_features))

    def forward(self, x):
        x = x.contiguous()
        w, s = self.weight_codes, self.weight_scale
        y = torch.empty((x.shape[0], w.shape[0]), dtype=torch.float32)
        codes = torch.empty(x.shape[1], dtype=torch.int32)
        pointers = [t.data_ptr() for t in (x, w, s, y, codes)]
        LIB.linear(*pointers, *x.shape, w.shape[0])
        return y
