"""An own im2col and an own product, with the columns in a scratch buffer."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <vector>
extern "C" void conv2d(const float* x, const float* w, const float* b, float* y, const long* s) {
  const long batch = s[0], ci = s[1], h = s[2], wd = s[3], co = s[4], k = s[5];
  const long oh = h - k + 1, ow = wd - k + 1, depth = ci * k * k, area = oh * ow;
  std::vector<float> columns(depth * area);
  for (long n = 0; n < batch; ++n) {
    float* to = columns.data();
    for (long c = 0; c < ci; ++c)
      for (long u = 0; u < k; ++u)
        for (long v = 0; v < k; ++v)
          for (long i = 0; i < oh; ++i)
            for (long j = 0; j < ow; ++j)
              *to++ = x[((n * ci + c) * h + i + u) * wd + j + v];
    for (long o = 0; o < co; ++o) {
      float* out = y + (n * co + o) * area;
      for (long i = 0; i < area; ++i) out[i] = b[o];
      for (long d = 0; d < depth; ++d)
        for (long i = 0; i < area; ++i) out[i] += w[o * depth + d] * columns[d * area + i];
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
LIB.conv2d.argtypes = [ctypes.c_void_p] * 5


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        w, b = self.conv.weight, self.conv.bias
        batch, channels, height, width = x.shape
        out, size = w.shape[0], w.shape[2]
        y = torch.empty((batch, out, height - size + 1, width - size + 1), dtype=x.dtype)
        shape = (ctypes.c_long * 6)(batch, channels, height, width, out, size)
        LIB.conv2d(*[t.data_ptr() for t in (x, w, b, y)], shape)
        return y
