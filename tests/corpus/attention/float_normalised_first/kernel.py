"""All in float32, weights divided before they meet the values, keys from the last to the first."""

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
  std::vector<float> score(length);
  const float root = std::sqrt(static_cast<float>(dim));
  for (long h = 0; h < heads; ++h, q += length * dim, k += length * dim, v += length * dim)
    for (long i = 0; i < length; ++i, y += dim) {
      float largest = -INFINITY, sum = 0.0f;
      for (long j = i; j >= 0; --j) {
        float dot = 0.0f;
        for (long d = 0; d < dim; ++d) dot += q[i * dim + d] * k[j * dim + d];
        score[j] = dot / root;
        if (score[j] > largest || score[j] != score[j]) largest = score[j];
      }
      for (long j = i; j >= 0; --j) sum += score[j] = std::exp(score[j] - largest);
      for (long d = 0; d < dim; ++d) y[d] = 0.0f;
      for (long j = i; j >= 0; --j)
        for (long d = 0; d < dim; ++d) y[d] += score[j] / sum * v[j * dim + d];
    }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-ffp-contract=fast"]
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
