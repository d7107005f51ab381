import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>
#include <algorithm>
#define BLK 512
extern "C" void scan(const float* x, float* y, long rows, long n, long pitch) {
  for (long r = 0; r < rows; ++r) {
    const float* a = x + r * pitch;
    float* o = y + r * n;
    double carry = 0;
    for (long b = 0; b < n; b += BLK) {
      const long e = std::min(n, b + (long)BLK);
      double run = 0;
      for (long i = b; i < e; ++i) { run += a[i]; o[i] = (float)(carry + run); }
      carry += run;
    }
  }
}
"""


def _compile():
    tag = hashlib.sha1(_SRC.encode()).hexdigest()[:14]
    d = os.path.join(tempfile.gettempdir(), "kern_" + tag)
    os.makedirs(d, exist_ok=True)
    so = os.path.join(d, "lib.so")
    if not os.path.exists(so):
        src = os.path.join(d, "k%d.cpp" % os.getpid())
        tmp = os.path.join(d, "k%d.so" % os.getpid())
        with open(src, "w") as fh:
            fh.write(_SRC)
        subprocess.run(["g++", "-O3", "-std=c++17", "-pthread", "-shared", "-fPIC", src, "-o", tmp], check=True)
        os.replace(tmp, so)
    return ctypes.CDLL(so)


_lib = _compile()
_P = lambda t: ctypes.c_void_p(t.data_ptr())
_L = ctypes.c_long
_F = ctypes.c_float


class ModelNew(nn.Module):
    def forward(self, x):
        n = x.shape[-1]
        y = torch.empty(x.shape, dtype=x.dtype)
        flat = x if x.dim() == 2 else x.reshape(-1, n)
        rows = x.numel() // n if n else 0
        _lib.scan(_P(flat), _P(y), _L(rows), _L(n), _L(flat.stride(0)))
        return y

