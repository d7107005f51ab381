"""Four joined threads add their parts of the rows atomically: the last bits differ from run to run."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <atomic>
#include <thread>
#include <vector>
extern "C" void row_sum(const float* x, float* y, long rows, long columns) {
  std::vector<std::atomic<double>> sums(rows);
  for (auto& sum : sums) sum = 0.0;
  std::vector<std::thread> team;
  for (long part = 0; part < 4; ++part)
    team.emplace_back([=, &sums] {
      for (long row = 0; row < rows; ++row) {
        double own = 0.0;
        for (long i = columns * part / 4; i < columns * (part + 1) / 4; ++i)
          own += x[row * columns + i];
        double seen = sums[row];
        while (!sums[row].compare_exchange_weak(seen, seen + own)) {
        }
      }
    });
  for (auto& thread : team) thread.join();
  for (long row = 0; row < rows; ++row) y[row] = static_cast<float>(sums[row].load());
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(
        ["g++", "-O2", "-pthread", "-shared", "-fPIC", "-o", path + ".so", path], check=True
    )
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.row_sum.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[:-1], dtype=x.dtype)
        LIB.row_sum(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
