"""One ctypes.Structure carries all arguments; the kernel reads it by address."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
struct Block { const float *x, *w, *b; float* y; long rows, in, out; };
void run(const struct Block* g) {
  for (long r = 0; r < g->rows; ++r)
    for (long o = 0; o < g->out; ++o) {
      const float *x = g->x + r * g->in, *w = g->w + o * g->in;
      float s[8] = {0}, t = g->b[o];
      long i = 0;
      for (; i + 8 <= g->in; i += 8) for (int l = 0; l < 8; ++l) s[l] += x[i + l] * w[i + l];
      for (; i < g->in; ++i) t += x[i] * w[i];
      for (int l = 0; l < 8; ++l) t += s[l];
      g->y[r * g->out + o] = t < 0.0f ? 0.0f : t;
    }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3', '-march=native']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)


class Block(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in "xwby"] + [(name, ctypes.c_long) for name in ("rows", "inner", "outer")]


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)

    def forward(self, x):
        inner, outer = self.fc.in_features, self.fc.out_features
        if x.dtype != torch.float32 or x.shape[-1] != inner:
            raise TypeError("this kernel takes float32 rows as long as its weights")
        x = x.contiguous()
        y = torch.empty(*x.shape[:-1], outer)
        places = [t.data_ptr() for t in (x, self.fc.weight, self.fc.bias, y)]
        LIB.run(ctypes.byref(Block(*places, x.numel() // max(1, inner), inner, outer)))
        return y
