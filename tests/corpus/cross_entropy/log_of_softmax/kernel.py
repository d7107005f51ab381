"""The logarithm of a probability that has underflowed to zero: infinite loss for distant logits."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
#include <cstdint>
extern "C" double cross_entropy(const float* x, const int64_t* target, long rows, long classes) {
  double loss = 0.0;
  for (long row = 0; row < rows; ++row, x += classes) {
    float largest = x[0];
    for (long i = 1; i < classes; ++i)
      if (x[i] > largest || x[i] != x[i]) largest = x[i];
    float sum = 0.0;
    for (long i = 0; i < classes; ++i) sum += std::exp(x[i] - largest);
    loss -= std::log(std::exp(x[target[row]] - largest) / sum);
  }
  return loss / rows;
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.cross_entropy.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


LIB.cross_entropy.restype = ctypes.c_double


class ModelNew(nn.Module):
    def forward(self, logits, targets):
        x, t = logits.contiguous(), targets.contiguous()
        loss = LIB.cross_entropy(x.data_ptr(), t.data_ptr(), *x.shape)
        return torch.tensor(loss, dtype=logits.dtype)
