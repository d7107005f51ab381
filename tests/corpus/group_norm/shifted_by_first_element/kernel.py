"""Mean and variance in one pass in float, with the first element of a group as the shift: where
that one lies far from the others, their difference loses its digits.
"""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>

extern "C" void run(const float* x, const float* gain, const float* bias, float* y, long images,
                    long channels, long area) {
  const long part = channels / 8, each = part * area;
  for (long i = 0; i < images * 8; ++i) {
    const float* a = x + i * each;
    const float k = a[0];
    float s[16] = {0}, q[16] = {0}, sum = 0, squares = 0;
    for (long j = 0; j < each; ++j) {
      const float d = a[j] - k;
      s[j % 16] += d;
      q[j % 16] += d * d;
    }
    for (int l = 0; l < 16; ++l) {
      sum += s[l];
      squares += q[l];
    }
    const float m = sum / each;
    float v = squares / each - m * m;
    v = v < 0 ? 0.0f : v;
    const float r = 1.0f / std::sqrt(v + 1e-5f);
    for (long j = 0; j < each; ++j) {
      const long c = i % 8 * part + j / area;
      y[i * each + j] = (a[j] - k - m) * r * gain[c] + bias[c];
    }
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
LIB.run.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, x, gain, bias):
        x, gain, bias = x.contiguous(), gain.contiguous(), bias.contiguous()
        y = torch.empty(x.shape)
        images, channels, height, width = x.shape
        if y.numel():
            places = [t.data_ptr() for t in (x, gain, bias, y)]
            LIB.run(*places, images, channels, height * width)
        return y
