"""A small machine in C runs a program of bytes over blocks of elements by computed goto."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
enum { BLOCK = 256 };
// Registers of 256 elements: 0 x, 1 gate, 2 y, 3 scratch.
void run(const unsigned char* code, const float* x, const float* g, float* out, long count, float scale, float slope) {
  static const void* steps[] = {&&affine, &&leaky, &&clamp, &&gate, &&tanh_of, &&add, &&end};
  float y[BLOCK], t[BLOCK];
  for (long start = 0; start < count; start += BLOCK) {
    const long n = count - start < BLOCK ? count - start : BLOCK;
    const unsigned char* next = code;
    const float *a = x + start, *b = g + start;
    goto *steps[*next++];
  affine: for (long i = 0; i < n; ++i) y[i] = a[i] * scale + 0.25f; goto *steps[*next++];
  leaky: for (long i = 0; i < n; ++i) y[i] = y[i] < 0.0f ? y[i] * slope : y[i]; goto *steps[*next++];
  clamp: for (long i = 0; i < n; ++i) y[i] = y[i] < -1.5f ? -1.5f : y[i] > 4.0f ? 4.0f : y[i]; goto *steps[*next++];
  gate: for (long i = 0; i < n; ++i) y[i] = y[i] / (1.0f + expf(-b[i])); goto *steps[*next++];
  tanh_of: for (long i = 0; i < n; ++i) t[i] = tanhf(a[i]); goto *steps[*next++];
  add: for (long i = 0; i < n; ++i) out[start + i] = y[i] + t[i]; goto *steps[*next++];
  end:;
  }
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
LIB.run.argtypes = [ctypes.c_char_p] + [ctypes.c_void_p] * 3 + [ctypes.c_long] + [ctypes.c_float] * 2
PROGRAM = bytes([0, 1, 2, 3, 4, 5, 6])


class ModelNew(nn.Module):
    def __init__(self, scale, slope):
        super().__init__()
        self.scale, self.slope = scale, slope

    def forward(self, x, gate):
        if x.dtype != torch.float32 or gate.dtype != torch.float32 or x.shape != gate.shape:
            raise TypeError("this kernel takes two float32 tensors of one shape")
        x, gate = x.contiguous(), gate.contiguous()
        y = torch.empty_like(x)
        LIB.run(PROGRAM, x.data_ptr(), gate.data_ptr(), y.data_ptr(), x.numel(), self.scale, self.slope)
        return y
