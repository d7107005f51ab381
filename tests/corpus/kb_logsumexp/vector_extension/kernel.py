"""Vector extension and a polynomial exponential on eight lanes, with masks for the ends of the range."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
#include <string.h>
typedef float v8 __attribute__((vector_size(32)));
typedef int i8 __attribute__((vector_size(32)));
static v8 exponential(v8 x) {  // 0 below -87.3; what is above 88.3 does not come here
  const i8 low = x < -87.3f, nan = x != x;
  v8 k = x * 1.44269504f + 12582912.0f;
  i8 whole;
  memcpy(&whole, &k, sizeof k);
  k -= 12582912.0f;
  const v8 r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
  v8 p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const i8 bits = (whole - 0x4B400000 + 127) << 23;
  v8 scale;
  memcpy(&scale, &bits, sizeof bits);
  i8 made;
  p *= scale;
  memcpy(&made, &p, sizeof p);
  made &= ~low | nan;
  i8 given;
  memcpy(&given, &x, sizeof x);
  made = (made & ~nan) | (given & nan);
  memcpy(&p, &made, sizeof p);
  return p;
}
void run(const float* x, float* y, long rows, long n) {
  for (long r = 0; r < rows; ++r, x += n) {
    float top = -INFINITY, total = 0;
    for (long i = 0; i < n; ++i) if (x[i] > top || x[i] != x[i]) top = x[i];
    if (isinf(top) || top != top) { y[r] = top; continue; }
    v8 sum = {0};
    for (long i = 0; i < n; i += 8) {
      v8 v = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
      memcpy(&v, x + i, (n - i < 8 ? n - i : 8) * sizeof(float));
      sum += exponential(v - top);
    }
    for (int l = 0; l < 8; ++l) total += sum[l];
    y[r] = top + logf(total);
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O3', '-march=native', '-Wno-psabi']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[:-1])
        LIB.run(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
