"""Weights are made float32 one row at a time, then summed in eight parts."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <stdint.h>
#include <string.h>

static float widen(uint16_t value) {
  uint32_t bits = (uint32_t)value << 16;
  float made;
  memcpy(&made, &bits, 4);
  return made;
}

static uint16_t narrow(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  if (value != value) return 0x7fc0;
  return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

extern "C" void linear(const uint16_t* x, const uint8_t* packed, const float* scales,
                       const uint8_t* zeros, uint16_t* y, float* row, long m, long k, long n) {
  for (long j = 0; j < n; ++j) {
    for (long p = 0; p < k; ++p) {
      long group = (j * k + p) / 32;
      uint8_t byte = packed[(j * k + p) / 2];
      int code = p % 2 ? byte >> 4 : byte & 15;
      row[p] = (code - zeros[group]) * scales[group];
    }
    for (long i = 0; i < m; ++i) {
      float part[8] = {0};
      for (long p = 0; p < k; ++p) part[p % 8] += widen(x[i * k + p]) * row[p];
      float sum = 0.0f;
      for (int t = 0; t < 8; ++t) sum += part[t];
      y[i * n + j] = narrow(sum);
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
LIB.linear.argtypes = [ctypes.c_void_p] * 6 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        groups = in_features // 32
        packed = torch.zeros(out_features, in_features // 2, dtype=torch.uint8)
        self.register_buffer("packed", packed)
        self.register_buffer("scales", torch.ones(out_features, groups))
        self.register_buffer("zeros", torch.zeros(out_features, groups, dtype=torch.uint8))

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty((x.shape[0], self.packed.shape[0]), dtype=torch.bfloat16)
        row = torch.empty(x.shape[1])
        tensors = (x, self.packed, self.scales, self.zeros, y, row)
        LIB.linear(*(t.data_ptr() for t in tensors), *x.shape, self.packed.shape[0])
        return y
