"""Two C files, an archive made with ar, and the library linked from it."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

WINDOW = r"""
float window(const float* in, long H, long W, long top, long left, long size) {
  float best = -__builtin_inff();
  for (long i = top < 0 ? 0 : top; i < top + size && i < H; ++i)
    for (long j = left < 0 ? 0 : left; j < left + size && j < W; ++j) {
      const float v = in[i * W + j];
      if (v > best || v != v) best = v;
      if (best != best) return best;
    }
  return best;
}
"""
PLANES = r"""
float window(const float*, long, long, long, long, long);
void run(const float* x, float* y, long planes, long H, long W, long h, long v, long size, long stride, long pad) {
  for (long p = 0; p < planes; ++p, x += H * W)
    for (long i = 0; i < h; ++i) for (long j = 0; j < v; ++j) *y++ = window(x, H, W, i * stride - pad, j * stride - pad, size);
}
"""


def build():
    folder = tempfile.mkdtemp()
    objects = []
    for name, source in (("window", WINDOW), ("planes", PLANES)):
        path = os.path.join(folder, name)
        with open(path + ".c", "w") as file:
            file.write(source)
        subprocess.run(["gcc", "-O2", "-fPIC", "-c", "-o", path + ".o", path + ".c"], check=True)
        objects.append(path + ".o")
    archive, library = os.path.join(folder, "libpool.a"), os.path.join(folder, "libpool.so")
    subprocess.run(["ar", "rcs", archive, *objects], check=True)
    subprocess.run(["gcc", "-shared", "-o", library, "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive"], check=True)
    return ctypes.CDLL(library)


LIB = build()
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 8


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.size, self.stride, self.padding = kernel_size, stride, padding

    def forward(self, x):
        if x.dtype != torch.float32 or x.dim() < 3:
            raise TypeError("this kernel takes float32 images")
        x = x.contiguous()
        sizes = [(n + 2 * self.padding - self.size) // self.stride + 1 for n in x.shape[-2:]]
        if min(sizes) < 1:
            raise ValueError("the image is smaller than the window")
        y = torch.empty(*x.shape[:-2], *sizes)
        planes = x.numel() // max(1, x.shape[-1] * x.shape[-2])
        LIB.run(x.data_ptr(), y.data_ptr(), planes, *x.shape[-2:], *sizes, self.size, self.stride, self.padding)
        return y
