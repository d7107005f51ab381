"""Minima and maxima of the clamp in inline assembler; expf and tanhf of the C library."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
// The second operand comes back where one is NaN: so the value stands second.
static inline float at_least(float low, float v) {
#if defined(__x86_64__)
  __asm__("maxss %1, %0" : "+x"(low) : "x"(v));
  return low;
#else
  return v < low ? low : v;
#endif
}
static inline float at_most(float high, float v) {
#if defined(__x86_64__)
  __asm__("minss %1, %0" : "+x"(high) : "x"(v));
  return high;
#else
  return v > high ? high : v;
#endif
}
void run(const float* x, const float* g, float* out, long count, float scale, float slope) {
  for (long i = 0; i < count; ++i) {
    float y = x[i] * scale + 0.25f;
    y = y < 0.0f ? y * slope : y;
    y = at_most(4.0f, at_least(-1.5f, y));
    out[i] = y / (1.0f + expf(-g[i])) + tanhf(x[i]);
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
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] + [ctypes.c_float] * 2


class ModelNew(nn.Module):
    def __init__(self, scale, slope):
        super().__init__()
        self.scale, self.slope = scale, slope

    def forward(self, x, gate):
        if x.dtype != torch.float32 or gate.dtype != torch.float32 or x.shape != gate.shape:
            raise TypeError("this kernel takes two float32 tensors of one shape")
        x, gate = x.contiguous(), gate.contiguous()
        y = torch.empty_like(x)
        LIB.run(x.data_ptr(), gate.data_ptr(), y.data_ptr(), x.numel(), self.scale, self.slope)
        return y
