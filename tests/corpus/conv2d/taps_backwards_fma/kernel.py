"""Channels and taps from the last to the first, fused multiply-adds, the bias at the end."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" void conv2d(const float* x, const float* w, const float* b, float* y, const long* s) {
  const long batch = s[0], ci = s[1], h = s[2], wd = s[3], co = s[4], k = s[5];
  const long oh = h - k + 1, ow = wd - k + 1;
  for (long n = 0; n < batch; ++n)
    for (long o = 0; o < co; ++o) {
      float* out = y + (n * co + o) * oh * ow;
      for (long i = 0; i < oh * ow; ++i) out[i] = 0.0f;
      for (long c = ci - 1; c >= 0; --c)
        for (long tap = k * k - 1; tap >= 0; --tap) {
          const float f = w[(o * ci + c) * k * k + tap];
          const float* in = x + ((n * ci + c) * h + tap / k) * wd + tap % k;
          for (long i = 0; i < oh; ++i)
            for (long j = 0; j < ow; ++j) out[i * ow + j] += f * in[i * wd + j];
        }
      for (long i = 0; i < oh * ow; ++i) out[i] += b[o];
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
