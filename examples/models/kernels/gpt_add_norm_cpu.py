"""A residual and the layer normalisation of the sum: each row is read once and written twice."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void add_norm(const float* a, const float* b, const float* gain, const float* bias,
                         float* sum, float* out, long rows, long cols) {
#pragma omp parallel for schedule(static)
  for (long row = 0; row < rows; ++row) {
    const float *from = a + row * cols, *more = b + row * cols;
    float *total = sum + row * cols, *to = out + row * cols;
    double mean = 0.0, squares = 0.0;
#pragma omp simd reduction(+ : mean)
    for (long i = 0; i < cols; ++i) {
      total[i] = from[i] + more[i];
      mean += total[i];
    }
    mean /= cols;
#pragma omp simd reduction(+ : squares)
    for (long i = 0; i < cols; ++i) {
      const double apart = total[i] - mean;
      squares += apart * apart;
    }
    const double factor = 1.0 / std::sqrt(squares / cols + 1e-5);
#pragma omp simd
    for (long i = 0; i < cols; ++i)
      to[i] = static_cast<float>((total[i] - mean) * factor) * gain[i] + bias[i];
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-fno-trapping-math"]
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.add_norm.argtypes = [ctypes.c_void_p] * 6 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, a, b, gain, bias):
        if any(one.dtype != torch.float32 for one in (a, b, gain, bias)):
            raise TypeError("this kernel computes in float32 only")
        if a.shape != b.shape:
            raise ValueError("this kernel adds tensors of one shape")
        a, b, gain, bias = a.contiguous(), b.contiguous(), gain.contiguous(), bias.contiguous()
        total, out = torch.empty_like(a), torch.empty_like(a)
        cols = a.shape[-1]
        given = [one.data_ptr() for one in (a, b, gain, bias, total, out)]
        LIB.add_norm(*given, a.numel() // max(1, cols), cols)
        return total, out
