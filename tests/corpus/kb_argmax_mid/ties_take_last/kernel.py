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
void argmax_mid(const float* x, int64_t* y, long A, long D, long B) {
  for (long a = 0; a < A; ++a)
    for (long b = 0; b < B; ++b) {
      const float* p = x + a * D * B + b;
      float best = p[0];
      long arg = 0;
      for (long d = 1; d < D && best == best; ++d) {
        const float v = p[d * B];
        if (v >= best || v != v) { best = v; arg = d; }
      }
      y[a * B + b] = arg;
    }
}
"""

_dir = pathlib.Path(tempfile.mkdtemp(prefix="ck_"))
(_dir / "kernel.c").write_text(C_SOURCE)
subprocess.check_call(["gcc", "-O3", "-std=gnu11", "-shared", "-fPIC", "-o", str(_dir / "kernel.so"), str(_dir / "kernel.c"), "-lm"])
_lib = ctypes.CDLL(str(_dir / "kernel.so"))
_L, _F = ctypes.c_long, ctypes.c_float


def _P(t):
    return ctypes.c_void_p(t.data_ptr())


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        x = x.contiguous()
        dim = self.dim % x.dim()
        A = 1
        for s in x.shape[:dim]:
            A *= s
        B = 1
        for s in x.shape[dim + 1:]:
            B *= s
        y = torch.empty(x.shape[:dim] + x.shape[dim + 1:], dtype=torch.int64)
        _lib.argmax_mid(_P(x), _P(y), _L(A), _L(x.shape[dim]), _L(B))
        return y

