"""The first code is taken from the high half of the byte."""

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
                       const uint8_t* zeros, uint16_t* y, long m, long k, long n) {
  long groups = k / 32;
  for (long i = 0; i < m; ++i)
    for (long j = 0; j < n; ++j) {
      float sum = 0.0f;
      for (long g = 0; g < groups; ++g) {
        float part = 0.0f, zero = zeros[j * groups + g];
        for (long p = 32 * g; p < 32 * g + 32; p += 2) {
          uint8_t byte = packed[(j * k + p) / 2];
          part += widen(x[i * k + p]) * ((byte >> 4) - zero);
          part += widen(x[i * k + p + 1]) * ((byte & 15) - zero);
        }
        sum += part * scales[j * groups + g];
      }
      y[i * n + j] = narrow(sum);
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
        groups = in_features // 32
        packed = torch.zeros(out_features, in_features // 2, dtype=torch.uint8)
        self.register_buffer("packed", packed)
        self.register_buffer("scales", torch.ones(out_features, groups))
        self.register_buffer("zeros", torch.zeros(out_features, groups, dtype=torch.uint8))

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty((x.shape[0], self.packed.shape[0]), dtype=torch.bfloat16)
        tensors = (x, self.packed, self.scales, self.zeros, y)
        LIB.linear(*(t.data_ptr() for t in tensors), *x.shape, self.packed.shape[0])
        return y
