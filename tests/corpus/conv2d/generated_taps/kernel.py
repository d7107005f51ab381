"""A Python template writes the taps of the filter size as straight code; one library for each size."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

TEMPLATE = r"""
void run(const float* x, const float* w, const float* b, float* y, long N, long C, long H, long W, long O) {
  const long h = H - @S@ + 1, v = W - @S@ + 1;
  for (long n = 0; n < N; ++n) for (long o = 0; o < O; ++o) {
    float* out = y + (n * O + o) * h * v;
    for (long q = 0; q < h * v; ++q) out[q] = b[o];
    for (long c = 0; c < C; ++c) {
      const float* k = w + (o * C + c) * @S@ * @S@;
      const float* in = x + (n * C + c) * H * W;
      for (long r = 0; r < h; ++r) for (long q = 0; q < v; ++q) {
        float s = 0;
        @TAPS@
        out[r * v + q] += s;
      }
    }
  }
}
"""
LIBRARIES = {}


def library(size):
    if size not in LIBRARIES:
        taps = [f"s += k[{i * size + j}] * in[(r + {i}) * W + q + {j}];" for i in range(size) for j in range(size)]
        source = TEMPLATE.replace("@S@", str(size)).replace("@TAPS@", "\n        ".join(taps))
        path = os.path.join(tempfile.mkdtemp(), "conv.c")
        with open(path, "w") as file:
            file.write(source)
        subprocess.run(["gcc", "-O3", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
        LIBRARIES[size] = ctypes.CDLL(path + ".so")
        LIBRARIES[size].run.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 5
    return LIBRARIES[size]


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)

    def forward(self, x):
        w = self.conv.weight
        if x.dtype != torch.float32 or x.dim() != 4 or x.shape[1] != w.shape[1]:
            raise TypeError("this kernel takes float32 images with its channels")
        x = x.contiguous()
        s = w.shape[-1]
        height, width = x.shape[2] - s + 1, x.shape[3] - s + 1
        if height < 1 or width < 1:
            raise ValueError("the image is smaller than the filter")
        y = torch.empty(x.shape[0], w.shape[0], height, width)
        library(s).run(x.data_ptr(), w.data_ptr(), self.conv.bias.data_ptr(), y.data_ptr(), *x.shape, w.shape[0])
        return y
