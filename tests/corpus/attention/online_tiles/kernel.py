"""Flash-style attention: one pass over the keys with a running maximum, no score matrix."""

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
  std::vector<double> total(dim);
  const float scale = 1.0f / std::sqrt(static_cast<float>(dim));
  for (long h = 0; h < heads; ++h, q += length * dim, k += length * dim, v += length * dim)
    for (long i = 0; i < length; ++i, y += dim) {
      double sum = 0.0;
      float largest = 0.0f;
      for (long j = 0; j <= i; ++j) {
        float dot = 0.0f;
        for (long d = 0; d < dim; ++d) dot += q[i * dim + d] * k[j * dim + d];
        const float score = dot * scale;
        if (j == 0) largest = score, total.assign(dim, 0.0);
        if (score == -INFINITY) continue;
        if (score > largest || score != score) {
          const double shrink = std::exp(static_cast<double>(largest) - score);
          sum *= shrink;
          for (long d = 0; d < dim; ++d) total[d] *= shrink;
          largest = score;
        }
        const double weight = std::exp(static_cast<double>(score) - largest);
        sum += weight;
        for (long d = 0; d < dim; ++d) total[d] += weight * v[j * dim + d];
      }
      for (long d = 0; d < dim; ++d) y[d] = static_cast<float>(total[d] / sum);
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
