"""Where images lie channels last, weights are read as if they lay so too: wrong for plain weights,
which most models have.
"""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" void run(const float* x, const float* f, float* y, const long* s) {
  const long n = s[0], c = s[1], k = s[2], h = s[3], w = s[4];
  const long step = s[5], place = s[6], channel = s[7], tap = s[8];  // of images and of weights
  for (long b = 0; b < n; ++b)
    for (long o = 0; o < k; ++o)
      for (long i = 0; i < h; ++i)
        for (long j = 0; j < w; ++j) {
          float sum = 0;
          for (long q = 0; q < c; ++q)
            for (long t = 0; t < 9; ++t) {
              const long a = i + 2 * (t / 3) - 2, e = j + 2 * (t % 3) - 2;
              if (a < 0 || a >= h || e < 0 || e >= w) continue;
              const float v = x[b * c * h * w + q * step + (a * w + e) * place];
              sum += v * (f[o * 9 * c + q * channel + t * tap] / 12.0f);
            }
          y[((b * k + o) * h + i) * w + j] = sum;
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
LIB.run.argtypes = [ctypes.c_void_p] * 4


class ModelNew(nn.Module):
    def forward(self, x, weight):
        n, c, h, w = x.shape
        last = torch.channels_last
        if not x.is_contiguous() and x.is_contiguous(memory_format=last):
            steps = (1, c, 1, c)
        else:
            x, weight = x.contiguous(), weight.contiguous()
            steps = (h * w, 1, 9, 1)
        y = torch.empty(n, weight.shape[0], h, w)
        if y.numel():
            sizes = (ctypes.c_long * 9)(n, c, weight.shape[0], h, w, *steps)
            LIB.run(x.data_ptr(), weight.data_ptr(), y.data_ptr(), sizes)
        return y
