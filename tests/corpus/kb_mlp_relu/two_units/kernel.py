"""Two translation units joined by link-time optimisation."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

DOT = r"""
float dot(const float* x, const float* w, long n) {
  float s[4] = {0, 0, 0, 0}, t = 0;
  long i = 0;
  for (; i + 4 <= n; i += 4) for (int l = 0; l < 4; ++l) s[l] += x[i + l] * w[i + l];
  for (; i < n; ++i) t += x[i] * w[i];
  return t + s[0] + s[1] + s[2] + s[3];
}
"""
LAYER = r"""
float dot(const float*, const float*, long);
void run(const float* x, const float* w, const float* b, float* y, long rows, long in, long out) {
  for (long r = 0; r < rows; ++r) for (long o = 0; o < out; ++o) {
    const float v = dot(x + r * in, w + o * in, in) + b[o];
    *y++ = v < 0.0f ? 0.0f : v;
  }
}
"""
FOLDER = tempfile.mkdtemp()
for name, text in (("dot", DOT), ("layer", LAYER)):
    with open(os.path.join(FOLDER, name + ".c"), "w") as file:
        file.write(text)
    subprocess.run(["gcc", "-O3", "-flto", "-fPIC", "-c", name + ".c"], check=True, cwd=FOLDER)
subprocess.run(["gcc", "-O3", "-flto", "-shared", "-o", "unit.so", "dot.o", "layer.o"], check=True, cwd=FOLDER)
LIB = ctypes.CDLL(os.path.join(FOLDER, "unit.so"))
LIB.run.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


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
        LIB.run(x.data_ptr(), self.fc.weight.data_ptr(), self.fc.bias.data_ptr(), y.data_ptr(), x.numel() // max(1, inner), inner, outer)
        return y
