"""The inner product of a row from the output, as fast kernels have it: rowsum(dO * O)."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
#include <vector>
static float dot(const float* a, const float* b, long n) {
  float total = 0.0f;
  for (long i = 0; i < n; ++i) total += a[i] * b[i];
  return total;
}
static void head(const float* q, const float* k, const float* v, const float* g, float* dq,
                 float* dk, float* dv, long length, long dim) {
  const float scale = 1.0f / std::sqrt((float)dim);
  std::vector<float> weight(length), output(dim);
  std::vector<double> row(dim), keys(length * dim, 0.0), values(length * dim, 0.0);
  for (long i = 0; i < length; ++i, q += dim, g += dim, dq += dim) {
    float largest = -INFINITY;
    for (long j = 0; j <= i; ++j) {
      weight[j] = dot(q, k + j * dim, dim) * scale;
      if (weight[j] > largest || weight[j] != weight[j]) largest = weight[j];
    }
    double sum = 0.0;
    for (long j = 0; j <= i; ++j) sum += weight[j] = std::exp(weight[j] - largest);
    row.assign(dim, 0.0);
    for (long j = 0; j <= i; ++j) {
      weight[j] = (float)(weight[j] / sum);
      for (long d = 0; d < dim; ++d) row[d] += (double)weight[j] * v[j * dim + d];
    }
    for (long d = 0; d < dim; ++d) output[d] = (float)row[d];
    const float inner = dot(g, output.data(), dim);
    row.assign(dim, 0.0);
    for (long j = 0; j <= i; ++j) {
      const double score = weight[j] * (dot(g, v + j * dim, dim) - inner) * scale;
      for (long d = 0; d < dim; ++d) {
        row[d] += score * k[j * dim + d];
        keys[j * dim + d] += score * q[d];
        values[j * dim + d] += (double)weight[j] * g[d];
      }
    }
    for (long d = 0; d < dim; ++d) dq[d] = (float)row[d];
  }
  for (long i = 0; i < length * dim; ++i) dk[i] = (float)keys[i], dv[i] = (float)values[i];
}
extern "C" void attention_backward(const float* q, const float* k, const float* v, const float* g,
                                   float* dq, float* dk, float* dv, long heads, long length,
                                   long dim) {
  for (long h = 0, at = 0; h < heads; ++h, at += length * dim)
    head(q + at, k + at, v + at, g + at, dq + at, dk + at, dv + at, length, dim);
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", "-O3", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.attention_backward.argtypes = [ctypes.c_void_p] * 7 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, q, k, v, gradient):
        given = [t.contiguous() for t in (q, k, v, gradient)]
        made = [torch.empty_like(t) for t in given[:3]]
        pointers = [t.data_ptr() for t in (*given, *made)]
        LIB.attention_backward(*pointers, q.shape[0] * q.shape[1], q.shape[2], q.shape[3])
        return tuple(made)
