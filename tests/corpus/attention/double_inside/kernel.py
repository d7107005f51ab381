"""Scores, weights and sums in float64: more exact than the reference."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
#include <vector>
extern "C" void attention(const float* q, const float* k, const float* v, float* y, long heads,
                          long length, long dim) {
  std::vector<double> score(length), total(dim);
  const double scale = 1.0 / std::sqrt(static_cast<double>(dim));
  for (long h = 0; h < heads; ++h, q += length * dim, k += length * dim, v += length * dim)
    for (long i = 0; i < length; ++i, y += dim) {
      double largest = -INFINITY, sum = 0.0;
      for (long j = 0; j <= i; ++j) {
        double dot = 0.0;
        for (long d = 0; d < dim; ++d) dot += static_cast<double>(q[i * dim + d]) * k[j * dim + d];
        score[j] = dot * scale;
        if (score[j] > largest || score[j] != score[j]) largest = score[j];
      }
      total.assign(dim, 0.0);
      for (long j = 0; j <= i; ++j) {
        const double e = std::exp(score[j] - largest);
        sum += e;
        for (long d = 0; d < dim; ++d) total[d] += e * v[j * dim + d];
      }
      for (long d = 0; d < dim; ++d) y[d] = static_cast<float>(total[d] / sum);
    }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3"]
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.attention.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        if q.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        y = torch.empty_like(q)
        pointers = [t.data_ptr() for t in (q, k, v, y)]
        LIB.attention(*pointers, q.shape[0] * q.shape[1], q.shape[2], q.shape[3])
        return y
