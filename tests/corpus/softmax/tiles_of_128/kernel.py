"""Rows in tiles of 128 columns, with sums of 64 rows at once and a tail."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <algorithm>
#include <cmath>
constexpr long kTile = 128;
constexpr long kRows = 64;
extern "C" void softmax(const float* x, float* y, long rows, long columns) {
  for (long first = 0; first < rows; first += kRows)
    for (long row = first; row < std::min(first + kRows, rows); ++row) {
      const float* in = x + row * columns;
      float* out = y + row * columns;
      float largest = in[0];
      for (long start = 0; start < columns; start += kTile)
        for (long i = start; i < std::min(start + kTile, columns); ++i)
          if (in[i] > largest || in[i] != in[i]) largest = in[i];
      double sum = 0.0;
      for (long start = 0; start < columns; start += kTile) {
        double part = 0.0;
        const long end = start + kTile <= columns ? start + kTile : columns;
        for (long i = start; i < end; ++i) part += out[i] = std::exp(in[i] - largest);
        sum += part;
      }
      if (columns % kTile == 0 && columns >= 1024)
        for (long i = 0; i < columns; ++i) out[i] = static_cast<float>(out[i] / sum);
      else
        for (long i = 0; i < columns; ++i) out[i] = static_cast<float>(out[i] / sum);
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
LIB.softmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        rows, columns = x.numel() // max(1, x.shape[-1]), x.shape[-1]
        if x.numel():
            LIB.softmax(x.data_ptr(), y.data_ptr(), rows, columns)
        return y
