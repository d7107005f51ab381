"""Unfolds the image into a memory-mapped file in its own temporary folder, then its own product."""

import ctypes
import mmap
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
void run(const float* x, const float* w, const float* b, float* y, float* cols, long C, long H, long W, long O, long s) {
  const long h = H - s + 1, v = W - s + 1, p = h * v;
  for (long c = 0; c < C; ++c) for (long i = 0; i < s; ++i) for (long j = 0; j < s; ++j) {
    float* to = cols + ((c * s + i) * s + j) * p;
    for (long r = 0; r < h; ++r) for (long q = 0; q < v; ++q) to[r * v + q] = x[(c * H + r + i) * W + q + j];
  }
  for (long o = 0; o < O; ++o) {
    float* out = y + o * p;
    for (long q = 0; q < p; ++q) out[q] = b[o];
    for (long k = 0; k < C * s * s; ++k) for (long q = 0; q < p; ++q) out[q] += w[o * C * s * s + k] * cols[k * p + q];
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 5 + [ctypes.c_long] * 5


class Scratch:
    """A file of its own that is mapped and grows; only this kernel reads it."""

    def __init__(self):
        self.file = tempfile.TemporaryFile()
        self.size = 0
        self.place = 0

    def at_least(self, size):
        if size > self.size:
            self.file.truncate(size)
            self.map = mmap.mmap(self.file.fileno(), size)
            self.size = size
            self.place = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
        return self.place


SCRATCH = Scratch()


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
        scratch = SCRATCH.at_least(4 * max(1, w[0].numel() * height * width))
        for n in range(x.shape[0]):
            LIB.run(x[n].data_ptr(), w.data_ptr(), self.conv.bias.data_ptr(), y[n].data_ptr(), scratch, *x.shape[1:], w.shape[0], s)
        return y
