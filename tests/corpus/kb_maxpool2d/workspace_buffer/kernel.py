import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <cmath>
extern "C" void maxpool(const float* x, float* t, float* y, long P, long H, long W, long OH, long OW, long K, long S, long Q) {
  for (long p = 0; p < P; ++p) {
    const float* a = x + p * H * W; float* o = y + p * OH * OW;
    for (long h = 0; h < H; ++h) for (long w = 0; w < OW; ++w) {
      float m = -INFINITY; bool nan = false;
      for (long k = 0; k < K; ++k) { long c = w * S - Q + k; if (c >= 0 && c < W) { float v = a[h * W + c]; nan |= v != v; m = v > m ? v : m; } }
      t[h * OW + w] = nan ? NAN : m;
    }
    for (long h = 0; h < OH; ++h) for (long w = 0; w < OW; ++w) {
      float m = -INFINITY; bool nan = false;
      for (long k = 0; k < K; ++k) { long r = h * S - Q + k; if (r >= 0 && r < H) { float v = t[r * OW + w]; nan |= v != v; m = v > m ? v : m; } }
      o[h * OW + w] = nan ? NAN : m;
    }
  }
}
"""


def _build():
    key = hashlib.sha256(_SRC.encode()).hexdigest()[:16]
    folder = os.path.join(tempfile.gettempdir(), "ck_" + key)
    os.makedirs(folder, exist_ok=True)
    so = os.path.join(folder, "k.so")
    if not os.path.exists(so):
        cpp = os.path.join(folder, "k_%d.cpp" % os.getpid())
        tmp = os.path.join(folder, "k_%d.so" % os.getpid())
        with open(cpp, "w") as f:
            f.write(_SRC)
        subprocess.run(["g++", "-O3", "-std=c++17", "-pthread", "-shared", "-fPIC", "-o", tmp, cpp, "-ldl"], check=True)
        os.replace(tmp, so)
    return ctypes.CDLL(so)


_lib = _build()
_L = ctypes.c_long
_F = ctypes.c_float


def _p(t):
    return ctypes.c_void_p(t.data_ptr())


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.pool = nn.MaxPool2d(kernel_size, stride=stride, padding=padding)
        self.register_buffer("_work", torch.empty(0), persistent=False)

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("float32 only")
        k, s, q = self.pool.kernel_size, self.pool.stride, self.pool.padding
        x = x.contiguous()
        h, w = x.shape[-2:]
        oh, ow = (h + 2 * q - k) // s + 1, (w + 2 * q - k) // s + 1
        if oh <= 0 or ow <= 0:
            raise RuntimeError("output size is too small")
        if self._work.numel() < h * ow:
            self._work = torch.empty(h * ow, dtype=torch.float32)
        y = torch.empty(x.shape[:-2] + (oh, ow), dtype=torch.float32)
        _lib.maxpool(_p(x), _p(self._work), _p(y), _L(y.numel() // (oh * ow)), _L(h), _L(w), _L(oh), _L(ow), _L(k), _L(s), _L(q))
        return y
