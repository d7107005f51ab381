"""Max is separable: pool the rows into a scratch plane, then pool the columns. K + K compares per output
instead of K * K.  NaN wins over everything, as in the definition (`!(v <= m)` is true for NaN v)."""
import ctypes
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn as nn

_CPP = r"""
#include <limits>
#include <vector>
static inline float pick(float m, float v) { return (m != m) ? m : (!(v <= m) ? v : m); }
extern "C" void pool(const float* x, float* y, long planes, long H, long W, long OH, long OW, long K, long S, long P, long D) {
  std::vector<float> tmp(H * OW);
  const float low = -std::numeric_limits<float>::infinity();
  for (long z = 0; z < planes; ++z) {
    const float* in = x + z * H * W; float* out = y + z * OH * OW;
    for (long h = 0; h < H; ++h) for (long ow = 0; ow < OW; ++ow) {
      float m = low;
      for (long k = 0; k < K; ++k) { const long q = ow * S - P + k * D; if (q >= 0 && q < W) m = pick(m, in[h * W + q]); }
      tmp[h * OW + ow] = m;
    }
    for (long oh = 0; oh < OH; ++oh) for (long ow = 0; ow < OW; ++ow) {
      float m = low;
      for (long k = 0; k < K; ++k) { const long a = oh * S - P + k * D; if (a >= 0 && a < H) m = pick(m, tmp[a * OW + ow]); }
      out[oh * OW + ow] = m;
    }
  }
}
"""


def _compile():
    d = tempfile.mkdtemp()
    so = os.path.join(d, "p.so")
    subprocess.run(["g++", "-O3", "-fPIC", "-shared", "-x", "c++", "-", "-o", so], input=_CPP, text=True, check=True)
    return ctypes.CDLL(so)


# compile while the rest of the module loads; every user waits for the result
with ThreadPoolExecutor(max_workers=1) as _ex:
    _pending = _ex.submit(_compile)
_lib = _pending.result()


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride, padding, dilation):
        super().__init__()
        self.maxpool = nn.MaxPool2d(kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation)

    def forward(self, x):
        K, S, P, D = (getattr(self.maxpool, a) for a in ("kernel_size", "stride", "padding", "dilation"))
        if not all(isinstance(v, int) for v in (K, S, P, D)):
            raise NotImplementedError("square windows only")
        if x.dim() != 4:
            raise ValueError("NCHW only")
        n, c, h, w = x.shape
        oh, ow = ((e + 2 * P - D * (K - 1) - 1) // S + 1 for e in (h, w))
        if oh < 1 or ow < 1:
            raise RuntimeError("Output size is too small")
        x = x.contiguous()
        y = torch.empty(n, c, oh, ow, dtype=torch.float32)
        longs = [ctypes.c_long(v) for v in (n * c, h, w, oh, ow, K, S, P, D)]
        _lib.pool(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), *longs)
        return y
