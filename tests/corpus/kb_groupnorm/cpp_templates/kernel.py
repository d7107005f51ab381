"""Expression templates: the affine map is one type that the loop takes as an argument."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
template <class L, class R> struct Product { L l; R r; float operator()(float v, long c) const { return l(v, c) * r(v, c); } };
template <class L, class R> struct Sum { L l; R r; float operator()(float v, long c) const { return l(v, c) + r(v, c); } };
struct Channel { const float* p; float operator()(float, long c) const { return p[c]; } };
struct Normal { float mean, scale; float operator()(float v, long) const { return (v - mean) * scale; } };
template <class E> static void apply(const E& e, const float* x, float* y, long c, long n) { for (long i = 0; i < n; ++i) y[i] = e(x[i], c); }
extern "C" void run(const float* x, const float* w, const float* b, float* y, long batch, long C, long P, long groups, float eps) {
  const long size = C / groups;
  for (long s = 0; s < batch * groups; ++s, x += size * P, y += size * P) {
    double mean = 0, square = 0;
    for (long i = 0; i < size * P; ++i) mean += x[i];
    mean /= size * P;
    for (long i = 0; i < size * P; ++i) square += (x[i] - mean) * (x[i] - mean);
    const Normal normal{(float)mean, (float)(1.0 / std::sqrt(square / (size * P) + eps))};
    for (long c = 0; c < size; ++c) {
      const Sum<Product<Normal, Channel>, Channel> e{{normal, {w}}, {b}};
      apply(e, x + c * P, y + c * P, s % groups * size + c, P);
    }
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2']
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 4 + [ctypes.c_float] * 1


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.gn = nn.GroupNorm(groups, channels)

    def forward(self, x):
        if x.dtype != torch.float32 or x.dim() < 2 or x.shape[1] != self.gn.num_channels:
            raise TypeError("this kernel takes float32 with its channels")
        x = x.contiguous()
        y = torch.empty_like(x)
        points = x[0, 0].numel() if x.shape[0] else 1
        LIB.run(x.data_ptr(), self.gn.weight.data_ptr(), self.gn.bias.data_ptr(), y.data_ptr(), x.shape[0], x.shape[1], points, self.gn.num_groups, self.gn.eps)
        return y
