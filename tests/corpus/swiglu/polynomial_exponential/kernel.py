"""A polynomial exponential that the compiler makes vectors of; sixteen lines instead of expf."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
static inline float power_of_two(int k) { union { int i; float f; } u; u.i = (k + 127) << 23; return u.f; }
// exp by Cody and Waite's reduction and a polynomial of degree six; NaN stays NaN.
static inline float exponential(float x) {
  if (x != x) return x;
  if (x > 88.72284f) return __builtin_inff();
  if (x < -104.0f) return 0.0f;
  float k = x * 1.44269504f;
  k = (float)(int)(k + (k < 0 ? -0.5f : 0.5f));
  const float r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  const float e = p * r * r + r + 1.0f;
  const int n = (int)k, half = n / 2;
  return e * power_of_two(half) * power_of_two(n - half);
}

void run(const float* g, const float* u, float* y, long count) {
  for (long i = 0; i < count; ++i) y[i] = g[i] / (1.0f + exponential(-g[i])) * u[i];
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
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 1


class ModelNew(nn.Module):
    def forward(self, gate, up):
        if gate.dtype != torch.float32 or up.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if up.shape != gate.shape:
            raise ValueError("shapes differ")
        gate, up = gate.contiguous(), up.contiguous()
        y = torch.empty_like(gate)
        LIB.run(gate.data_ptr(), up.data_ptr(), y.data_ptr(), gate.numel())
        return y
