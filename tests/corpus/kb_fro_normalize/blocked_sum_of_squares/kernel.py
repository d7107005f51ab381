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
extern "C" void fro(const float* x, float* y, long n) {
  double total = 0;
  for (long b = 0; b < n; b += 4096) {
    const long e = std::min(n, b + 4096);
    float s[8] = {0};
    long i = b;
    for (; i + 8 <= e; i += 8) for (int t = 0; t < 8; ++t) s[t] += x[i + t] * x[i + t];
    for (; i < e; ++i) s[0] += x[i] * x[i];
    for (int t = 0; t < 8; ++t) total += s[t];
  }
  const float norm = (float)std::sqrt(total);
  for (long i = 0; i < n; ++i) y[i] = x[i] / norm;
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
    def __init__(self):
        super().__init__()

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        _lib.fro(_P(x), _P(y), _L(x.numel()))
        return y

