"""Row statistics put aside in a file of its own temporary folder, mapped into memory."""

import ctypes
import mmap
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
void run(const float* x, const float* w, const float* b, float* y, float* kept, long rows, long n, float eps) {
  for (long r = 0; r < rows; ++r) {
    double mean = 0, square = 0;
    for (long i = 0; i < n; ++i) mean += x[r * n + i];
    mean /= n;
    for (long i = 0; i < n; ++i) square += (x[r * n + i] - mean) * (x[r * n + i] - mean);
    kept[2 * r] = (float)mean, kept[2 * r + 1] = (float)(1.0 / sqrt(square / n + eps));
  }
  for (long r = 0; r < rows; ++r)
    for (long i = 0; i < n; ++i) y[r * n + i] = (x[r * n + i] - kept[2 * r]) * kept[2 * r + 1] * w[i] + b[i];
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 5 + [ctypes.c_long] * 2 + [ctypes.c_float]
FOLDER = tempfile.mkdtemp()


def scratch(size):
    """A file that is as long as asked, mapped; the map keeps it alive."""
    with open(os.path.join(FOLDER, "statistics"), "wb+") as file:
        file.truncate(size)
        made = mmap.mmap(file.fileno(), size)
    return made


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        n = self.weight.numel()
        if x.dtype != torch.float32 or x.shape[-1] != n:
            raise TypeError("this kernel takes float32 rows as long as its gain")
        x = x.contiguous()
        y = torch.empty_like(x)
        pages = scratch(8 * max(1, x.numel() // max(1, n)))
        place = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        LIB.run(x.data_ptr(), self.weight.data_ptr(), self.bias.data_ptr(), y.data_ptr(), place, x.numel() // max(1, n), n, self.eps)
        return y
