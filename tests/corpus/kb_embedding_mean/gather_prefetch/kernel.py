"""Rows gathered with __builtin_prefetch some steps ahead, added in sequence."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
void run(const long* t, const float* e, float* y, long rows, long n, long d, float scale) {
  for (long r = 0; r < rows; ++r, t += n, y += d) {
    for (long j = 0; j < d; ++j) y[j] = 0.0f;
    for (long i = 0; i < n; ++i) {
      if (i + 4 < n) __builtin_prefetch(e + t[i + 4] * d);
      const float* from = e + t[i] * d;
      for (long j = 0; j < d; ++j) y[j] += from[j];
    }
    for (long j = 0; j < d; ++j) y[j] = y[j] / n * scale;
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3 + [ctypes.c_float] * 1


class ModelNew(nn.Module):
    def __init__(self, vocab, dim, scale):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.scale = scale

    def forward(self, tokens):
        if tokens.dtype != torch.int64 or tokens.dim() != 2:
            raise TypeError("this kernel takes a matrix of int64 tokens")
        table, tokens = self.emb.weight.detach().contiguous(), tokens.contiguous()
        y = torch.empty(tokens.shape[0], table.shape[1])
        LIB.run(tokens.data_ptr(), table.data_ptr(), y.data_ptr(), *tokens.shape, table.shape[1], self.scale)
        return y
