"""The same packing behind a leaky ReLU, on two OpenMP threads."""

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

extern "C" void run(const float* x, const float* t, const float* b, float* y, long rows, long in, long out, float slope) {
#pragma omp parallel for num_threads(2)
  for (long r = 0; r < rows; ++r) {
    float* to = y + r * out;
    for (long o = 0; o < out; ++o) to[o] = b[o];
    for (long i = 0; i < in; ++i) for (long o = 0; o < out; ++o) to[o] += x[r * in + i] * t[i * out + o];
    for (long o = 0; o < out; ++o) to[o] = to[o] < 0.0f ? to[o] * slope : to[o];
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3', '-fopenmp']
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.same.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]
LIB.pack.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2
LIB.run.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3 + [ctypes.c_float] * 1


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, slope):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)
        self.slope = slope
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
        LIB.run(x.data_ptr(), self.panels().data_ptr(), self.fc.bias.data_ptr(), y.data_ptr(), rows, self.fc.in_features, out, self.slope)
        return y
