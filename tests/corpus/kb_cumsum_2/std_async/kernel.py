"""std::async runs blocks of rows; each future is waited for in the call."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <algorithm>
#include <future>
#include <vector>
extern "C" void run(const float* x, float* y, long rows, long n) {
  const long step = std::max(1L, (rows + 1) / 2);
  std::vector<std::future<void>> parts;
  for (long r = 0; r < rows; r += step)
    parts.push_back(std::async(std::launch::async, [=] {
      for (long row = r; row < std::min(rows, r + step); ++row) {
        double sum = 0;
        for (long i = 0; i < n; ++i) y[row * n + i] = (float)(sum += x[row * n + i]);
      }
    }));
  for (auto& part : parts) part.get();
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2', '-pthread']
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        columns = x.shape[-1]
        LIB.run(x.data_ptr(), y.data_ptr(), x.numel() // max(1, columns), columns)
        return y
