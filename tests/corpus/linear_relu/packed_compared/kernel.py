"""Weights packed once and kept; every call compares all of them with the copy they were packed from."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <string.h>
extern "C" int same(const float* a, const float* b, long count) { return memcmp(a, b, count * sizeof(float)) == 0; }
extern "C" void pack(const float* w, float* t, float* copy, long out, long in) {
  memcpy(copy, w, out * in * sizeof(float));
  for (long o = 0; o < out; ++o) for (long i = 0; i < in; ++i) t[i * out + o] = w[o * in + i];
}

extern "C" void run(const float* x, const float* t, const float* b, float* y, long rows, long in, long out) {
  for (long r = 0; r < rows; ++r, x += in, y += out) {
    for (long o = 0; o < out; ++o) y[o] = b[o];
    for (long i = 0; i < in; ++i) for (long o = 0; o < out; ++o) y[o] += x[i] * t[i * out + o];
    for (long o = 0; o < out; ++o) y[o] = y[o] < 0.0f ? 0.0f : y[o];
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3', '-march=native']
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.same.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]
LIB.pack.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2
LIB.run.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)
        self.packed = None
        self.copy = None
        self.version = None

    def panels(self):
        """Packed anew where the version moved or any weight differs from the copy kept."""
        weight = self.fc.weight.detach().contiguous()
        if self.version != self.fc.weight._version or not LIB.same(weight.data_ptr(), self.copy.data_ptr(), weight.numel()):
            self.packed, self.copy = torch.empty_like(weight), torch.empty_like(weight)
            LIB.pack(weight.data_ptr(), self.packed.data_ptr(), self.copy.data_ptr(), *weight.shape)
            self.version = self.fc.weight._version
        return self.packed

    def forward(self, x):
        if x.dtype != torch.float32 or x.shape[-1] != self.fc.in_features:
            raise TypeError("this kernel takes float32 rows as long as its weights")
        x = x.contiguous()
        out = self.fc.out_features
        y = torch.empty(*x.shape[:-1], out)
        rows = x.numel() // max(1, self.fc.in_features)
        LIB.run(x.data_ptr(), self.panels().data_ptr(), self.fc.bias.data_ptr(), y.data_ptr(), rows, self.fc.in_features, out)
        return y
