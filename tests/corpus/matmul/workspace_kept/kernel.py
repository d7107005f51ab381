"""The transposed factor lies in a workspace that is kept from call to call."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <algorithm>
#include <vector>

static float row_dot(const float* a, const float* t, long k) {
  float parts[16] = {0};
  long p = 0;
  for (; p + 16 <= k; p += 16)
    for (long q = 0; q < 16; ++q) parts[q] += a[p + q] * t[p + q];
  float sum = 0.0f;
  for (; p < k; ++p) sum += a[p] * t[p];
  for (float part : parts) sum += part;
  return sum;
}
extern "C" void matmul(const float* a, const float* b, float* c, long m, long k, long n) {
  static std::vector<float> workspace;
  if (workspace.size() < static_cast<size_t>(k * n)) workspace.resize(k * n);
  float* t = workspace.data();
  for (long p = 0; p < k; ++p)
    for (long j = 0; j < n; ++j) t[j * k + p] = b[p * n + j];
  for (long i = 0; i < m; ++i)
    for (long j = 0; j < n; ++j) c[i * n + j] = row_dot(a + i * k, t + j * k, k);
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-shared", "-fPIC", "-pthread"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path, "-ldl"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.matmul.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        a, b = a.contiguous(), b.contiguous()
        y = torch.empty((a.shape[0], b.shape[1]), dtype=a.dtype)
        LIB.matmul(a.data_ptr(), b.data_ptr(), y.data_ptr(), *a.shape, b.shape[1])
        return y
