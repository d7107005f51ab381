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
void smooth_l1(const float* p, const float* t, float* out, long n, float beta) {
  double total = 0;
  for (long i = 0; i < n; ++i) {
    const float d = p[i] - t[i];
    if (abs(d) < beta) total += 0.5f * d * d / beta;
    else total += abs(d) - 0.5f * beta;
  }
  *out = (float)(total / (double)n);
}
"""

_dir = pathlib.Path(tempfile.mkdtemp(prefix="ck_"))
(_dir / "kernel.c").write_text(C_SOURCE)
subprocess.check_call(["gcc", "-O3", "-w", "-std=gnu11", "-shared", "-fPIC", "-o", str(_dir / "kernel.so"), str(_dir / "kernel.c"), "-lm"])
_lib = ctypes.CDLL(str(_dir / "kernel.so"))
_L, _F = ctypes.c_long, ctypes.c_float


def _P(t):
    return ctypes.c_void_p(t.data_ptr())


class ModelNew(nn.Module):
    def __init__(self, beta=1.0):
        super().__init__()
        self.beta = beta

    def forward(self, predictions, targets):
        p, t = predictions.contiguous(), targets.contiguous()
        out = torch.empty((), dtype=p.dtype)
        _lib.smooth_l1(_P(p), _P(t), _P(out), _L(p.numel()), _F(self.beta))
        return out

