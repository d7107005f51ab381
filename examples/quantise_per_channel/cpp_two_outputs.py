"""Eight-bit codes and scales of rows in C++, half to even: two outputs, made in Python."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
#include <cstdint>
extern "C" void quantise(const float* x, int8_t* codes, float* scales, long rows, long columns) {
  for (long row = 0; row < rows; ++row, x += columns, codes += columns) {
    float largest = 1e-6f;
    for (long i = 0; i < columns; ++i) {
      const float size = std::fabs(x[i]);
      if (size > largest || size != size) largest = size;  // once NaN, no comparison replaces it
    }
    const float scale = scales[row] = largest / 127.0f;
    for (long i = 0; i < columns; ++i) {
      const float code = std::nearbyint(x[i] / scale);
      codes[i] = static_cast<int8_t>(code < -127.0f ? -127.0f : code > 127.0f ? 127.0f : code);
    }
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.quantise.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel reads float32 only")
        x = x.contiguous()
        codes = torch.empty(x.shape, dtype=torch.int8)
        scales = torch.empty(x.shape[0], 1)
        LIB.quantise(x.data_ptr(), codes.data_ptr(), scales.data_ptr(), *x.shape)
        return codes, scales
