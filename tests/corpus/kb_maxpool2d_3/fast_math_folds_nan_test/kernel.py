import ctypes
import pathlib
import subprocess
import tempfile

import torch
from torch import nn

C_SOURCE = r"""
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static inline float mx(float a, float b) { return (b > a || b != b) ? b : a; }
void maxpool(const float* x, float* y, long N, long H, long W, long OH, long OW, long k, long s, long p, long d) {
  for (long n = 0; n < N; ++n)
    for (long i = 0; i < OH; ++i)
      for (long j = 0; j < OW; ++j) {
        float best = -INFINITY;
        for (long a = 0; a < k; ++a)
          for (long b = 0; b < k; ++b) {
            long h = i * s - p + a * d, w = j * s - p + b * d;
            if (h < 0 || w < 0 || h >= H || w >= W) continue;
            best = mx(best, x[(n * H + h) * W + w]);
          }
        y[(n * OH + i) * OW + j] = best;
      }
}
"""

_dir = pathlib.Path(tempfile.mkdtemp(prefix="ck_"))
(_dir / "kernel.c").write_text(C_SOURCE)
subprocess.check_call(["gcc", "-Ofast", "-std=gnu11", "-shared", "-fPIC", "-o", str(_dir / "kernel.so"), str(_dir / "kernel.c"), "-lm"])
_lib = ctypes.CDLL(str(_dir / "kernel.so"))
_L, _F = ctypes.c_long, ctypes.c_float


def _P(t):
    return ctypes.c_void_p(t.data_ptr())


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride, padding, dilation):
        super().__init__()
        self.k, self.s, self.p, self.d = kernel_size, stride, padding, dilation

    def _size(self, n):
        return (n + 2 * self.p - self.d * (self.k - 1) - 1) // self.s + 1

    def forward(self, x):
        lead, (H, W) = x.shape[:-2], x.shape[-2:]
        planes = x.contiguous().reshape(-1, H, W) if x.numel() else x.new_empty((0, H, W))
        y = torch.empty((planes.shape[0], self._size(H), self._size(W)), dtype=x.dtype)
        _lib.maxpool(_P(planes), _P(y), *map(_L, (y.shape[0], H, W, y.shape[1], y.shape[2], self.k, self.s, self.p, self.d)))
        return y.reshape(*lead, *y.shape[1:])

