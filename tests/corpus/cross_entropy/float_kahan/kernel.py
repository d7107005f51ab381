"""Log-sum-exp in float32 with compensated sums, over the classes and over the rows."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
#include <cstdint>
// Compensation turns an infinite sum into NaN; from there on it is left out.
struct Kahan {
  float sum = 0.0f, lost = 0.0f;
  void add(float value) {
    const float wanted = value - lost, next = sum + wanted;
    lost = std::isfinite(next) ? (next - sum) - wanted : 0.0f;
    sum = next;
  }
};

extern "C" void cross_entropy(const float* x, const int64_t* target, float* loss, long rows,
                              long columns) {
  Kahan all;
  for (long row = 0; row < rows; ++row, x += columns) {
    float largest = x[0];
    for (long i = 1; i < columns; ++i)
      if (x[i] > largest || x[i] != x[i]) largest = x[i];
    Kahan total;
    for (long i = 0; i < columns; ++i) total.add(std::exp(x[i] - largest));
    const float shift = std::isinf(largest) ? 0.0f : std::log(total.sum);
    all.add(shift + (largest - x[target[row]]));
  }
  *loss = all.sum / rows;
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O2"]
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.cross_entropy.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, logits, targets):
        if logits.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x, t = logits.contiguous(), targets.contiguous()
        loss = torch.empty((), dtype=x.dtype)
        LIB.cross_entropy(x.data_ptr(), t.data_ptr(), loss.data_ptr(), *x.shape)
        return loss
