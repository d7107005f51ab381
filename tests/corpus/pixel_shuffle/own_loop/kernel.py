"""Copies inputs that are not contiguous, then places every element in a loop of its own."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" void shuffle(const float* x, float* y, long images, long channels,
                        long height, long width) {
  for (long image = 0; image < images * channels; ++image)
    for (long part = 0; part < 4; ++part) {
      const float* from = x + (4 * image + part) * height * width;
      float* to = y + 4 * image * height * width + part / 2 * 2 * width + part % 2;
      for (long row = 0; row < height; ++row)
        for (long column = 0; column < width; ++column)
          to[4 * row * width + 2 * column] = from[row * width + column];
    }
}
"""


def build(source, *flags):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    command = ["g++", "-O3", "-march=native", "-shared", "-fPIC", *flags]
    subprocess.run([*command, "-o", path + ".so", path, "-ldl"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.shuffle.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 4


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel moves float32 only")
        x = x.contiguous()
        n, c, h, w = x.shape
        y = torch.empty(n, c // 4, 2 * h, 2 * w)
        LIB.shuffle(x.data_ptr(), y.data_ptr(), n, c // 4, h, w)
        return y
