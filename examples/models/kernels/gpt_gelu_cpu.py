"""The eight operations of GPT-2's GELU in one pass: x / (1 + exp(-2 u)), exp by a polynomial."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
#include <cstdint>
#include <cstring>
static inline float exponential(float x) {
  const float kept = x < -87.0f ? -87.0f : x;
  const float steps = std::rint(kept * 1.44269504f);
  const float rest = (kept - steps * 0.693359375f) + steps * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * rest + 1.3981999507e-3f;
  p = p * rest + 8.3334519073e-3f;
  p = p * rest + 4.1665795894e-2f;
  p = p * rest + 1.6666665459e-1f;
  p = p * rest + 5.0000001201e-1f;
  p = p * rest * rest + rest + 1.0f;
  const int32_t bits = (static_cast<int32_t>(steps) + 127) << 23;
  float scale;
  std::memcpy(&scale, &bits, 4);
  return x > 88.0f ? INFINITY : p * scale;
}
extern "C" void gelu(const float* x, float* y, long count) {
#pragma omp parallel for simd schedule(static)
  for (long i = 0; i < count; ++i) {
    const float h = x[i];
    const float u = 0.7978845608028654f * (h + 0.044715f * h * h * h);
    y[i] = 0.5f * h * (2.0f / (1.0f + exponential(-2.0f * u)));
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-fno-trapping-math"]
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.gelu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        LIB.gelu(x.data_ptr(), y.data_ptr(), x.numel())
        return y
